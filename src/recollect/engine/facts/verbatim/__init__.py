"""Facts in other languages than English: the user's own sentences, kept as they were typed.

Each language has a table of phrases (`de.py` and so on), and one reader judges the sentences of all of them. `message` reads
messages, `endings` says which older facts a sentence ends.
"""
