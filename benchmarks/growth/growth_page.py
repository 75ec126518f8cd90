"""The part of docs/benchmarks.md about growth."""

from __future__ import annotations

PAGE = """## How time and memory grow

Made by `python benchmarks/make_benchmarks.py growth` (`python -m benchmarks growth`; with `--only messages`, `owners` or `active` for one part), SQLite
without fsync, one core. Each store is measured in a process of its own.

![How time and memory grow, as a chart](growth.svg)

*Messages of one owner*: a conversation of half of the first 100,000 messages, where saves, the last 20 and prompts are measured, and others of 50 messages.
*Owners*: {few} messages of at most {characters} characters each; every call asks an owner picked at random, and before the memory is read, the vectors of
every owner were searched. All texts and vectors are made up: 1,500 texts are embedded, and each message is one of them with some words replaced, its
vectors (and unchanged token vectors) varied by noise. Facts and summaries are made from the first 100,000 messages of an owner only, and not
for the many owners. The best of three rounds counts for each search and prompt; unless it says otherwise, the question's vector is known.

*Memory of the process* is what it does not share (`RssAnon`), with the interpreter and the local model. *Pages of files* (`RssFile`) are counted apart:
nearly all are pages of the store that SQLite maps (at most 1 GB for each reading connection), which belong to the system's file cache and are
taken back when memory is needed; the file cache counts them once, however many processes map them.

```text
{table}
```

{notes}
"""


def format_page(table: str, notes: str, few: int, characters: int) -> str:
    """Fill in the page."""
    return PAGE.format(table=table.rstrip(), notes=notes, few=few, characters=characters).rstrip() + "\n"
