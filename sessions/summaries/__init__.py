"""The work summary: what it may say, who writes it, what refuses it, and where its versions are kept."""
