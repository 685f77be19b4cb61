"""The hunt over replays: packets, many later writes, an erasure, and each packet compiled once more."""
