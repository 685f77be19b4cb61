"""Deeds of the living window that are killed before each of their statements, repeated, and looked at."""
