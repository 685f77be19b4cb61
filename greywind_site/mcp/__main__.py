"""python -m greywind_site.mcp"""

from greywind_site.mcp.process import main

if __name__ == "__main__":
    main()
