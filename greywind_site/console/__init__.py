"""The console: what humans see of their projects, in pages drawn by the server."""
