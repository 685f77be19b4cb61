"""python -m greywind_site.client.mcp"""

import os
import sys

from greywind_site.client.mcp.stdio import serve

if __name__ == "__main__":
    try:
        sys.exit(serve(os.environ))
    except KeyboardInterrupt:
        sys.exit(130)
