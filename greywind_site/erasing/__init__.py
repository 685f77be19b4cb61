"""Taking a person's words out of the database: what is theirs, what was made of it, and what stays behind."""
