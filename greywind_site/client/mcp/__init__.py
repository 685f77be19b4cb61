"""The tools of an agent over the Model Context Protocol: each is a call of the HTTP API, and none decides anything."""
