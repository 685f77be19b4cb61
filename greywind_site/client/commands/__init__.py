"""The greywind command for people: nouns and verbs, results on standard output, prose beside it."""
