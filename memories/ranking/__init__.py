"""Ranking of what a search found: pure functions over candidates, without a database and without a clock."""
