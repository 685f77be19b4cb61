"""Hunts for a hole: many random attempts against the isolation and the authority, each checked by a rule of its own."""
