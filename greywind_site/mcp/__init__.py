"""MCP over HTTP: a small ASGI process beside the web, and the view that leads to it."""
