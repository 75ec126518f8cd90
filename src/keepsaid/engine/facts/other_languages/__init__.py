"""Facts in languages other than English: the user's own sentences, kept as typed.

Each language has a table of phrases in `languages` (`de.py` and so on). One reader judges the sentences of all languages.
"""
