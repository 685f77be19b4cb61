"""What the operator's commands do. The commands themselves only read their arguments."""
