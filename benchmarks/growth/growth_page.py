"""The part of docs/benchmarks.md about growth."""

from __future__ import annotations

from benchmarks.growth.growing_store import FEW, FEW_CHARACTERS, SHORT

PAGE = """## How time and memory grow

Made by `python benchmarks/make_benchmarks.py growth` (`python -m benchmarks growth`, with `--only messages`, `owners` or
`active` for one part): SQLite without fsync, one core, each store measured in a process of its own.

![How time and memory grow, as a chart](growth.svg)

*Everything is made up*: 1,500 texts are embedded, and each message is one of them with some words replaced, with that text's
vectors and some noise. *One owner*: half of the first 100,000 messages are one conversation, where saves, the last 20 and
prompts are measured; the others are conversations of 50. Facts and summaries are made from the first 100,000 messages only.
*Owners*: {few} messages of at most {characters} characters each, without facts; every call asks a random owner, and
before the memory is read, the vectors of every owner were searched. The best of three rounds counts for each search and
prompt, and the question's vector is known, unless it says *with the model*.

*Memory of the process* is what it does not share (`RssAnon`), the interpreter and the local model included. *Pages of files*
(`RssFile`) are counted apart: nearly all are pages of the store that SQLite maps, at most 1 GB for each reading connection.
They belong to the file cache of the system, which has them once for all processes and takes them back when memory
is needed.

```text
{table}
```

{notes}
"""

NOTES = """NOTES"""


def format_page(table: str) -> str:
    """Fill in the page."""
    return PAGE.format(table=table.rstrip(), notes=NOTES.format(short=SHORT), few=FEW, characters=FEW_CHARACTERS)
