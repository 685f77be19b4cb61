"""The hunt over who may do what: the database, the code that explains and an oracle of its own, side by side."""
