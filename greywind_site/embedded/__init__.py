"""PostgreSQL and Valkey run by us, for a machine that has neither. Nothing in here imports Django."""
