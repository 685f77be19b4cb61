"""Changes of somebody else's configuration: shown first, made in one step, and undone to the byte."""
