"""What runs on the agent's side: the HTTP client, the MCP tools and the greywind command. Django is never imported."""
