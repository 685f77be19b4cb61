"""What the harness calls at each step of a session: standard library only, never late, and never in the way."""
