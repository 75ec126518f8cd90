"""Writes docs/benchmarks.md from runs on this machine, one part at a time; the others stay as they are.

python benchmarks/make_benchmarks.py                  the store (`make bench`)
python benchmarks/make_benchmarks.py search           how long a search takes
python benchmarks/make_benchmarks.py growth [FOLDER]  how time and memory grow; FOLDER holds outputs of `python -m benchmarks
                                                      growth --only PART --json` that were made before
python benchmarks/make_benchmarks.py recall FOLDER    what is found; FOLDER holds the public data sets
python benchmarks/make_benchmarks.py peers            other libraries, also in the README; run it by .peers/bin/python
python benchmarks/make_benchmarks.py context FOLDER   what prompts hold, how much of them repeats, how long they take to make
"""

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import dataset, locomo, longmemeval
from benchmarks.common.chart import ChartBar, ChartGroup, draw_chart
from benchmarks.growth import growth, growth_page, growth_table
from benchmarks.peers import conversation
from benchmarks.peers import measure as peers_measure
from benchmarks.peers import page as peers_page
from benchmarks.peers import table as peers_table
from benchmarks.prompts import context, context_evidence, context_prefix, context_table, context_time, peers
from benchmarks.search import recall, recall_table, search
from benchmarks.search.haystack import HaystackSizes
from benchmarks.store import report, store
from keepsaid.embed import embedder_for
from keepsaid.errors import MissingExtra

DOCS = Path(__file__).parent.parent / "docs"
README = DOCS.parent / "README.md"
TARGET = DOCS / "benchmarks.md"
CHART = DOCS / "recall.svg"
EVIDENCE_CHART = DOCS / "evidence.svg"
PREFIX_CHART = DOCS / "prefix.svg"
PEERS_CHART = DOCS / "peers.svg"
GROWTH_CHART = DOCS / "growth.svg"

SAMPLE = 150
"""Questions of LongMemEval that prompts are made for: its conversation is long."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["store", "search", "growth", "peers", "recall", "context"]
    parser.add_argument("part", nargs="?", choices=parts, default="store")
    parser.add_argument("folder", nargs="?", type=Path)
    chosen = parser.parse_args()
    if chosen.part in ("recall", "context") and chosen.folder is None:
        parser.error(
            f"{chosen.part} needs the folder with locomo10.json, longmemeval_oracle.json, and for recall"
            " locomo_audit/errors.json"
        )
    if chosen.part == "store":
        put("store", STORE.format(table=shown(report.table(store.run(tell=print)))))
    elif chosen.part == "search":
        put(
            "search",
            SEARCH.format(table=shown(search.table(search.run(embedder_for("local"), HaystackSizes(), tell=told())))),
        )
    elif chosen.part == "peers":
        put_peers(*map(compared, (10_000, 1_000)))
    elif chosen.part == "growth":
        put("growth", growth_part(chosen.folder))
    elif chosen.part == "recall":
        put("recall", recall_part(chosen.folder))
    else:
        put("context", context_part(chosen.folder))


def shown(text: str) -> str:
    """Print the text for the waiting user, and return it."""
    print(text)
    return text.rstrip()


def put(part: str, text: str, target: Path | None = None) -> None:
    """Replace one part of a page, between its marks, or add it."""
    target = target or TARGET
    page = target.read_text(encoding="utf-8") if target.exists() else "# Benchmarks\n"
    marked = f"<!-- {part} -->\n{text.strip()}\n<!-- /{part} -->\n"
    old = re.compile(f"<!-- {part} -->.*?<!-- /{part} -->\n", re.DOTALL)
    page = old.sub(lambda _: marked, page) if old.search(page) else f"{page.rstrip()}\n\n{marked}"
    target.write_text(page, encoding="utf-8")


def told() -> recall.ProgressFunction:
    """Return a function that prints the progress at every tenth."""
    before = ("", -1)

    def tell(what: str, done: int, total: int) -> None:
        nonlocal before
        now = (what, 10 * done // max(1, total))
        if now != before:
            print(f"{what}: {done:,} of {total:,}", flush=True)
            before = now

    return tell


def compared(messages: int) -> dict[str, Any]:
    """Compare with other libraries, in a conversation of this length."""
    sizes = conversation.PeerSizes(messages=messages)
    return peers_measure.run(embedder_for("local:all-MiniLM-L6-v2"), sizes, tell=told())


def put_peers(long: Mapping[str, Any], short: Mapping[str, Any]) -> None:
    """Write the comparison with other libraries, its chart, and the table of the README."""
    tables = shown(peers_table.table(long)), shown(peers_table.ratio_table(short))
    put("peers", peers_page.TEXT.format(long=tables[0], short=tables[1]))
    put("peers", peers_table.markdown_table(long), README)
    PEERS_CHART.write_text(peers_table.chart(long), encoding="utf-8")


# -- growth


def growth_part(folder: Path | None) -> str:
    """Measure growth, or read what was measured. Return the part, and write the chart."""
    if folder is None:
        numbers = growth.run("local", growth.GrowthSizes(), tell=told())
    else:
        numbers = growth.merge([json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))])
    GROWTH_CHART.write_text(growth_table.chart(numbers), encoding="utf-8")
    return growth_page.format_page(shown(growth_table.table(numbers)))


# -- recall

Results = Mapping[str, Mapping[str, Any]]


def recall_part(folder: Path) -> str:
    """Measure both sets in every mode, by halves and by categories. Return the part, and write the chart."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        sets = {key: here / f"{key}.jsonl" for key in ("locomo", "corrected", "longmemeval")}
        dataset.write_records(sets["locomo"], locomo.convert(folder / "locomo10.json"))
        labels = folder / "locomo_audit" / "errors.json"
        dataset.write_records(sets["corrected"], locomo.convert(folder / "locomo10.json", labels))
        dataset.write_records(sets["longmemeval"], longmemeval.convert(folder / "longmemeval_oracle.json"))
        short_modes, short_parts = measured(sets["locomo"], {"cats 1–4": lambda q: not str(q.category).startswith("5")})
        long_modes, long_parts = measured(sets["longmemeval"], {})
        # Only the labels differ, so the vectors exist already.
        kept = recall.kept_store_path(sets["locomo"])
        short_parts |= {"corrected": in_mode(sets["corrected"], "full", store=kept)}
    CHART.write_text(chart(short_modes, short_parts, long_modes), encoding="utf-8")
    embedder = short_modes["full"]["embedder"]
    return RECALL.format(
        embedder=embedder,
        locomo=shown(tables(short_modes, short_parts)),
        longmemeval=shown(tables(long_modes, long_parts)),
        targets=shown(targets(short_parts, long_parts)),
    )


def measured(
    source: Path, groups: Mapping[str, Callable[[dataset.DataSetQuestion], bool]]
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Measure a set in every mode, and the full mode by halves and other groups of questions."""
    outline = dataset.read_outline(source)
    run = recall.run(source, recall.select_questions(outline), outline, modes=recall.MODES, tell=told())
    modes = {mode: recall.summary(outline, asked) | {"embedder": run.embedder} for mode, asked in run.asked.items()}
    parts: dict[str, dict[str, Any]] = {"all": modes["full"]}
    for half in ("tuning", "held-out"):
        of_half = [entry for entry in run.asked["full"] if recall.half_of(outline, entry.question) == half]
        parts[half] = recall.summary(outline, of_half)
    for name, belongs in groups.items():
        parts[name] = recall.summary(outline, [entry for entry in run.asked["full"] if belongs(entry.question)])
    return modes, parts


def in_mode(source: Path, mode: recall.Mode, store: Path) -> dict[str, Any]:
    """Measure a set in one mode, with an existing store."""
    outline = dataset.read_outline(source)
    run = recall.run(source, recall.select_questions(outline), outline, modes=(mode,), store=store, tell=told())
    return recall.summary(outline, run.asked[mode])


def tables(modes: Results, parts: Results) -> str:
    """Format the figures of each mode side by side, and below them the full mode by groups of questions."""
    without_categories = {name: {**result, "by_category": {}} for name, result in parts.items()}
    return f"{recall_table.compare_table(modes)}\n\nfull, by questions\n{recall_table.compare_table(without_categories)}"


def targets(short: Results, long: Results) -> str:
    """Format the targets, and what was reached."""
    lines = [f"{'':58}{'target':>8}{'reached':>9}"]
    for title, result, level, measure, wanted in (
        ("LoCoMo, messages, recall@10", short["all"], "message", "recall@10", 83.0),
        ("LoCoMo, messages, recall@10, conversations 6–10", short["held-out"], "message", "recall@10", 81.0),
        ("LoCoMo, messages, recall@10, categories 1–4", short["cats 1–4"], "message", "recall@10", 80.0),
        ("LoCoMo, sessions, any@5", short["all"], "session", "any@5", 96.0),
        ("LongMemEval oracle pooled, sessions, any@5", long["all"], "session", "any@5", 91.0),
        ("LongMemEval oracle pooled, sessions, all@5", long["all"], "session", "all@5", 72.0),
    ):
        reached = result[level][measure]
        lines.append(f"{title:58}{f'≥ {wanted:g}':>8}{reached:>9.1f}{'' if reached >= wanted else '  MISSED'}")
    return "\n".join(lines)


def chart(short: Results, short_parts: Results, long: Results) -> str:
    """Draw our figures by mode, compared with published ones."""

    def ours(results: Results, level: str, measure: str) -> list[ChartBar]:
        return [ChartBar(f"Keepsaid, {mode}", result[level][measure], mode == "full") for mode, result in results.items()]

    few = ChartBar("Keepsaid, full", short_parts["cats 1–4"]["message"]["recall@10"], ours=True)
    groups: Sequence[ChartGroup] = (
        ChartGroup("LoCoMo: messages, recall@10, all questions", ours(short, "message", "recall@10")),
        ChartGroup("LoCoMo: messages, recall@10, categories 1–4", [ChartBar("bge-m3", 66.8), few]),
        ChartGroup(
            "LoCoMo: sessions, any@5",
            [ChartBar("BM25", 91.5), ChartBar("bge-large + cross-encoder", 93.9), *ours(short, "session", "any@5")],
        ),
        ChartGroup("LongMemEval, pooled: sessions, any@5", [ChartBar("BM25", 80.9), *ours(long, "session", "any@5")]),
        ChartGroup("LongMemEval, pooled: sessions, all@5", [ChartBar("BM25", 60.9), *ours(long, "session", "all@5")]),
    )
    return draw_chart(groups, "What Keepsaid finds on LoCoMo and LongMemEval, in per cent")


# -- prompts


def context_part(folder: Path) -> str:
    """Measure both sets at every budget, and with LoCoMo also repetition and time. Return the part, and write the charts."""
    with tempfile.TemporaryDirectory() as name:
        short, long = Path(name) / "locomo.jsonl", Path(name) / "longmemeval.jsonl"
        dataset.write_records(short, locomo.convert(folder / "locomo10.json"))
        dataset.write_records(long, longmemeval.convert(folder / "longmemeval_oracle.json"))
        of_short = prompts(short, None, prefix=True, peers=installed(), sizes=context_time.SIZES)
        of_long = prompts(long, SAMPLE, prefix=False)
    EVIDENCE_CHART.write_text(evidence_chart({"LoCoMo": of_short, "LongMemEval": of_long}), encoding="utf-8")
    PREFIX_CHART.write_text(prefix_chart(of_short), encoding="utf-8")
    return CONTEXT.format(
        locomo=shown(context_table.table(of_short)),
        longmemeval=shown(context_table.table(of_long)),
        sample=SAMPLE,
        questions=context_time.QUESTIONS,
    )


def prompts(source: Path, count: int | None, **options: Any) -> dict[str, Any]:
    """Measure a set, or a sample of its questions."""
    outline = dataset.read_outline(source)
    return context.run(source, outline, context_evidence.sample_questions(outline.questions, count), tell=told(), **options)


def installed() -> Mapping[str, context_prefix.Trim]:
    """Return the libraries to compare with, if they are installed."""
    try:
        return peers.peer_trims()
    except MissingExtra as error:
        print(error)
        return {}


def evidence_chart(results: Results) -> str:
    """Draw the evidence in prompts at each budget, compared with a sliding window."""
    groups = [
        ChartGroup(
            f"{name}, {budget} tokens",
            [
                ChartBar("sliding window", result["window_evidence_at"][budget]),
                ChartBar("Keepsaid", result["evidence_at"][budget], ours=True),
            ],
        )
        for name, result in results.items()
        for budget in result["evidence_at"]
    ]
    return draw_chart(groups, "Questions whose evidence is wholly in the prompt, in per cent")


def prefix_chart(result: Mapping[str, Any]) -> str:
    """Draw how much of a prompt repeats the previous one."""
    others = {"sliding window": result["window_prefix_share"], **result["peers"]}
    bars = [ChartBar(name, value) for name, value in others.items() if value is not None]
    group = ChartGroup("LoCoMo, 4k tokens", [*bars, ChartBar("Keepsaid", result["prefix_share"], ours=True)])
    return draw_chart([group], "Tokens that repeat the prompt before, in per cent")


# -- the page

STORE = """## The store

Made by `make bench` (`python -m benchmarks store`) on two noisy cores: trust the ratios, not the microseconds. Ours and raw
take turns in one run, with the same durability; the best of many rounds counts.

*Raw* is a hand-written single table, through the same driver, that could do the same job: a unique id, an index on session
and seq, and a new time-ordered id made for every insert. It keeps no keyword index, no counters, no branches and no token
counts. One line compares with a table that has no index at all.

```text
{table}
```

**What is missed.** A durable append takes more than 1.5 × raw. Both wait for one fsync; ours logs five pages a commit where
raw logs three (about 25 µs each, fsync included), and its own 80 µs of work take longer when every commit puts the
processor to sleep.

**Group commit** (`tests/fault/test_group_commit.py`): 32 threads appending durably get 16 to 18 acknowledgements per fsync;
a lone append costs 0.95 to 1.08 times the same job in a plain transaction.
"""

SEARCH = """## How long a search takes

Made by `python benchmarks/make_benchmarks.py search` (`python -m benchmarks search`): 150 different questions to each owner,
warm, one at a time. The best of three rounds counts for each question, because noise only ever adds time. *Without the
model* means that the question's vector is remembered from before.

```text
{table}
```
"""

RECALL = """## What is found

Made by `python benchmarks/make_benchmarks.py recall FOLDER` (`python -m benchmarks convert`, `python -m benchmarks recall`),
without any LLM; embedder {embedder}. *words* searches by the keyword index alone, *meaning* by vectors alone, *full* by
everything.

![What is found, as a chart](recall.svg)

All figures are per cent. *any@k*: one of the messages (or sessions) that hold the answer is among the first k; *all@k*: all
of them are; *recall@k*: the share of them that is; *mrr*: 1 / the place of the first. A session ranks as its best message.
Weights were tuned on one half of the questions only (*tuning*: LoCoMo conversations 1–5, LongMemEval questions whose id
hashes even); *held-out* is the other half.

```text
{targets}
```

Published by others, for orientation: LoCoMo messages, recall@10, categories 1–4, bge-m3: 66.8. LoCoMo sessions, any@5,
bge-large + BM25 + cross-encoder: 93.9; plain BM25: 91.5. LongMemEval oracle pooled, plain BM25, sessions any@5 / all@5: 80.9
/ 60.9. Not published, but measured in our own trial of plain BM25, before this package was written (the table of trials in
its design notes, DESIGN.md, which are not in this repository): LoCoMo messages, recall@10, 63.2 in all categories and 60.6
in categories 1–4.

### LoCoMo: ten conversations of two friends, 5,882 short messages

One owner for each conversation, all five categories. *corrected*: with the labels that locomo-audit corrected.

```text
{locomo}
```

### LongMemEval oracle, pooled: 940 sessions with an assistant, 10,866 messages, one owner

The 470 questions that have an answer.

```text
{longmemeval}
```
"""

CONTEXT = """## What prompts hold

Made by `python benchmarks/make_benchmarks.py context FOLDER` (`python -m benchmarks context`), without any LLM. All that an
owner said is one long conversation, in order of time; every question is asked at its end.

![Evidence in prompts, as a chart](evidence.svg)

*Evidence*: the per cent of questions all of whose evidence messages are wholly in the prompt, checked by their ids and by
their texts; a passage of a long message does not count. *Sliding window*: the newest messages that fit together with the
question.

*Repeating*: each conversation is held again, turn by turn, and a prompt is made for everything the user says. Tokens count
as repeated up to the first one that differs from the prompt before; counted from the first prompt on that had to leave
something out. The evidence below it was asked in the same stores, after the last turn.

*Time*: one conversation of made-up messages for each length, vectors and notes in place, receipts on, warm, one core; the
time in the embedder is taken off. The best of three rounds counts for each of {questions} questions.

### LoCoMo: ten conversations of two friends

![What repeats, as a chart](prefix.svg)

```text
{locomo}
```

### LongMemEval oracle, pooled: one conversation with an assistant, {sample} questions

```text
{longmemeval}
```
"""


if __name__ == "__main__":
    main()
