"""The part of docs/benchmarks.md about other libraries, around its table."""

TEXT = """## Beside other libraries

Made by `make peers` (an environment of its own) and `.peers/bin/python benchmarks/make_benchmarks.py peers`
(`.peers/bin/python -m benchmarks peers`), without any LLM. Each library saves the same conversation, reads it back,
searches it and makes prompts from it. They take turns, and the best of ten rounds counts; for saving, which waits for
the disk, the median of many turns in random order. The figures are ratios: a library with 2.0 takes twice as long as
Keepsaid, one below 1 is faster.

![Speed beside other libraries, as a chart](peers.svg)

```text
{long}
```

In a shorter conversation, to load all of it costs less, and so does to scan all vectors:

```text
{short}
```

*save one* and *save 100*: at the end of the conversation, one message a call, and a hundred. *4,096 tokens*: the newest
messages that fit. *sessions*: the newest twenty. *search*: the ten best. *–*: the library has no notion of it. A number
in brackets is the length of a shorter conversation, for a library that would take minutes; it is compared with ours of
full length.

**Durability** is the same: a save returns after its fsync. All SQLite files that a save writes have `synchronous=FULL`
and are in WAL mode. Most of the others would use SQLite's rollback journal and wait for several fsyncs; they were given
files in WAL mode. Counted with `strace`, a save takes one fsync, and two in `SqliteSaver`, ChromaDB, MemPalace and
mem0. ChatMemoryBuffer holds everything in memory and rewrites its file of JSON, followed by an fsync.

**Vectors** are the same for all (all-MiniLM-L6-v2, those of our local embedder, made of a pool of texts with some
noise) and known before, so that no time includes the model. ChromaDB, `SqliteStore`, MemPalace and mem0 index them
while saving. Keepsaid stores them afterwards, as its worker does; saving writes its keyword index. Google ADK searches
by words alone and is given the messages afterwards. LlamaIndex embeds several messages together: for these it gets the
mean of their vectors, and keeps it in memory.

**Not the same** is what is found and what a prompt holds, which the list below the table says; see *What is found* and
*What prompts hold* for ours. A search of ours ranks by words, vectors and token vectors, and reads the neighbours of
what it finds; the others that search by meaning return the nearest vectors, and MemPalace ranks them again by words.
mem0 is without a language model (`infer=False`) and without its extras for spaCy and BM25; with a language model,
saving waits for its answer. LangChain and LangGraph estimate tokens (`count_tokens_approximately`, as in their
documentation), which is faster than to count them; LlamaIndex counts with our tokenizer. Keepsaid and LlamaIndex count
a message when they save it or make room. OpenAI Agents, Google ADK and LlamaIndex are asynchronous: the event loop is
about 30 µs of a call.
"""
