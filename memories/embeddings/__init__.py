"""Vectors of texts: who makes them, how they are asked for, and the rows in which they are waited for."""
