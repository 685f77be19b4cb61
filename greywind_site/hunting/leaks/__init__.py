"""The leak hunt: a word of its own in every text of every row, random readers, and a look at all that they are told."""
