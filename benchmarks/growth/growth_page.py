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

NOTES = """**How the table was made.** Other programs used both cores for most of the time (load 2 to 7), and the sizes
were measured one after the other, so trust ratios within a column. The parts were run one by one, and the first
before the last change to the scan (scores that are not copied). A second run of the million, with it, at a load
of 5 to 7 gave 74.8 and 91.1 ms for a search with the model, 109.7 and 204.4 ms for the bare reference (0.5 ×),
and the same memory.

**Flat**: saving, the last 20, and everything by the number of owners. A search of one owner grows with their
messages: it compares the question with all of their vectors, 0.9 kB each. The first search of a process reads
them. A prompt grows with the search in it; the rest of it took 28 ms at 10,000 messages and 35 ms at a million.

**What is missed.** The p95 of a search in a million messages was to be 60 ms; 30 ms of it are the scan of 0.9
GB, limited by the memory of the machine. A vector of 896 dimensions takes a page of its own in the file (4 kB
where 1.8 are needed), so that reading vectors again, and the first search, take about twice as long as they
must.

**Memory.** *Active owners*: every owner searched twice and read the last 20 messages, in turn; the second
search of each found its vectors in memory, the first read them. The owners are copies of one, with messages of
at most {short} characters, without token vectors and outside the keyword index, so these searches find by
meaning. A store of 1,000 owners with 10,000 messages each would take 48 GB and was not made: two stores whose
vectors exceed the bound, by the number of owners and by the size of each, show that what stays is the process
before the first owner, the vectors within `index_memory`, and 25 to 75 MB, for moments 125, mostly freed memory
that the allocator keeps. [Scaling](scaling.md#one-file) lists every bound.
"""


def format_page(table: str) -> str:
    """Fill in the page."""
    return PAGE.format(table=table.rstrip(), notes=NOTES.format(short=SHORT), few=FEW, characters=FEW_CHARACTERS)
