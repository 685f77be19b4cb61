"""The agent's side: the HTTP client, the command and its hooks."""
