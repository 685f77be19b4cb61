"""The tools over the Model Context Protocol, spoken to with the official SDK's own client."""
