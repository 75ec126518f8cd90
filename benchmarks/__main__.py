"""`python -m benchmarks`: measure speed and search quality on this machine."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from keepsaid.cli.lazy_group import ErrorPrintingGroup
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.output.formatting import echo_json
from keepsaid.cli.output.progress import ProgressReporter

if TYPE_CHECKING:
    from benchmarks.search.recall import Half, Mode
    from benchmarks.search.tune import Kind

# Each command imports what it needs inside its function, so that no command waits for the imports of the others.

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group(cls=ErrorPrintingGroup)
def bench() -> None:
    """Measure speed, recall and prompts on this machine."""


@bench.command()
@click.option("--quick", is_flag=True, help="Small sizes, in seconds; the targets are for the full run.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where to put the temporary files (1 GB, removed). Default: the system's folder, or memory for runs without fsync.",
)
@click.option(
    "--url", metavar="URL", help="Measure a store on this server instead, in a temporary schema or prefix, which is removed."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def store(quick: bool, folder: Path | None, url: str | None, as_json: bool) -> None:
    """Compare the store with a raw single-table SQLite doing the same, or one on a server with its bare driver.

    With --url postgresql://… or redis://… also: round trips of a prompt, many callers over a slow network, and two workers
    that share the pending work.
    """
    if url is not None:
        from benchmarks.store import remote, remote_table

        numbers, table = remote.run(url, quick=quick, tell=_progress), remote_table.table
    else:
        from benchmarks.store import report
        from benchmarks.store import store as measured

        numbers, table = measured.run(quick=quick, folder=folder, tell=_progress), report.table
    if as_json:
        echo_json(numbers)
    else:
        click.echo(table(numbers))


@bench.command()
@click.argument("kind", type=click.Choice(["locomo", "longmemeval"]))
@click.argument("source", type=FILE, metavar="IN")
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT")
@click.option("--labels", type=FILE, metavar="FILE", help="Corrected evidence for LoCoMo: errors.json of locomo-audit.")
def convert(kind: Literal["locomo", "longmemeval"], source: Path, target: Path, labels: Path | None) -> None:
    """Convert a public data set to the file format of `bench recall`."""
    from benchmarks.common import dataset, locomo, longmemeval

    if labels is not None and kind != "locomo":
        raise click.UsageError("--labels is for LoCoMo")
    records = locomo.convert(source, labels) if kind == "locomo" else longmemeval.convert(source)
    dataset.write_records(target, records)
    made = dataset.read_outline(target)
    messages = sum(len(memories.sessions) for memories in made.owners.values())
    click.echo(f"Wrote {target}: {messages:,} messages and {len(made.questions):,} questions.")


@bench.command()
@click.argument("file", type=FILE)
@click.option("--mode", type=click.Choice(["full", "words", "meaning"]), default="full", help="Which signals to search by.")
@click.option("--modes", "every", is_flag=True, help="All three modes, side by side.")
@click.option("--limit", type=click.IntRange(min=1), default=20, help="How many messages count as found. Default: 20.")
@click.option("--only", multiple=True, metavar="CATEGORY", help="Only questions of this category, or with this word in it.")
@click.option("--owner", "owners", multiple=True, metavar="OWNER", help="Only questions of this owner.")
@click.option(
    "--half",
    type=click.Choice(["all", "tuning", "held-out"]),
    default="all",
    help="The half that weights are tuned on, or the other. With several owners, the first half of them is for tuning; with "
    "one owner, the questions whose id hashes even.",
)
@click.option("--store", "kept", type=click.Path(dir_okay=False, path_type=Path), metavar="PATH",
              help="Keep messages and vectors in this store. Default: in your cache folder.")  # fmt: skip
@click.option("--embedder", metavar="SPEC", help="What makes the vectors. Default: the setting `embedder`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; with --modes, one inside for each mode.")
def recall(
    file: Path, mode: Mode, every: bool, limit: int, only: tuple[str, ...], owners: tuple[str, ...], half: Half,
    kept: Path | None, embedder: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Ask every question of a data set, and count what is found.

    FILE is JSONL: lines {"type":"session","owner","session","started_at","messages":[{"id","role","content"}]} and
    {"type":"question","owner","id","text","asked_at","category","evidence":[message ids]}.
    """
    from benchmarks.common import dataset
    from benchmarks.search import recall as measured
    from benchmarks.search import recall_table

    outline = dataset.read_outline(file)
    questions = measured.select_questions(outline, only=only, owners=owners, half=half)
    with ProgressReporter(elsewhere="nothing") as progress:
        run = measured.run(
            file, questions, outline, modes=measured.MODES if every else (mode,), store=kept, embedder=embedder,
            tell=progress,
        )  # fmt: skip
    results = {
        name: measured.summary(outline, asked, limit) | {"mode": name, "embedder": run.embedder}
        for name, asked in run.asked.items()
    }
    if as_json:
        echo_json(dict[str, Any](results) if every else results[mode])
    else:
        click.echo(recall_table.compare_table(results) if every else recall_table.table(results[mode]))


@bench.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path), metavar="PATH")
@click.option("--half", type=click.Choice(["all", "tuning", "held-out"]), default="all",
              help="One half of the worlds: those with odd numbers are for tuning.")  # fmt: skip
@click.option("--budget", type=click.IntRange(min=64), default=2_000, show_default=True, help="Tokens of a prompt.")
@click.option("--embedder", metavar="SPEC", help="What makes the vectors. Default: the setting `embedder`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def turns(source: Path, half: Half, budget: int, embedder: str | None, as_json: bool) -> None:
    """Make a prompt for turns of every kind and language, and count how much evidence it contains.

    PATH is benchmarks/data/turns of the source tree, or a data set in the form that `bench recall` reads.
    """
    from benchmarks.prompts import turns as measured
    from benchmarks.prompts import turns_table

    with ProgressReporter(elsewhere="nothing") as progress:
        judged = measured.run(source, half=half, budget=budget, embedder=embedder, tell=progress)
    result = measured.summary(judged)
    if as_json:
        echo_json(result)
    else:
        click.echo(turns_table.table(result))


@bench.command()
@click.argument("file", type=FILE)
@click.option("--budgets", default="512,1k,2k,4k,8k", show_default=True, metavar="LIST", help="Tokens of a prompt.")
@click.option("--questions", "count", type=click.IntRange(min=1), metavar="N", help="Ask only so many of the questions.")
@click.option("--half", type=click.Choice(["all", "tuning", "held-out"]), default="all",
              help="One half of the questions, as for `bench recall`.")  # fmt: skip
@click.option("--embedder", metavar="SPEC", help="What makes the vectors. Default: the setting `embedder`.")
@click.option("--no-prefix", is_flag=True, help="Do not replay the conversations turn by turn.")
@click.option(
    "--peers",
    "compared",
    is_flag=True,
    help="Also replay them with other libraries (`make peers`, .peers/bin/python).",
)
@click.option("--messages", type=click.IntRange(min=1), multiple=True, default=(1_000, 10_000, 100_000), show_default=True,
              help="Lengths of the made-up conversations whose prompts are timed.")  # fmt: skip
@click.option("--no-time", is_flag=True, help="Do not measure how long prompts take: the first time makes a store of 1 GB.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def context(
    file: Path, budgets: str, count: int | None, half: Half, embedder: str | None, no_prefix: bool, compared: bool,
    messages: tuple[int, ...], no_time: bool, as_json: bool,
) -> None:  # fmt: skip
    """Make a prompt for every question of a data set, and count those that contain all of the evidence.

    FILE is what `bench recall` reads. All messages of an owner form one conversation, in order of time. Every figure is
    compared with that of a sliding window over it.
    """
    from benchmarks.common import dataset
    from benchmarks.prompts import context as measured
    from benchmarks.prompts import context_evidence, context_table
    from benchmarks.search import recall as recalled

    outline = dataset.read_outline(file)
    questions = context_evidence.sample_questions(recalled.select_questions(outline, half=half), count)
    others = None
    if compared:
        from benchmarks.prompts.peers import peer_trims

        others = peer_trims()
    with ProgressReporter(elsewhere="nothing") as progress:
        result = measured.run(
            file, outline, questions, budgets=budgets.split(","), embedder=embedder, prefix=not no_prefix, peers=others,
            sizes=() if no_time else sorted(set(messages)), tell=progress,
        )  # fmt: skip
    if as_json:
        echo_json(result)
    else:
        click.echo(context_table.table(result))


@bench.command()
@click.option("--messages", type=click.IntRange(min=100), help="Messages in the conversation. Default: 10,000.")
@click.option("--quick", is_flag=True, help="Small sizes, in a minute.")
@click.option("--embedder", metavar="SPEC", default="local:all-MiniLM-L6-v2", show_default=True,
              help="What makes the vectors, which all libraries get.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with seconds instead of ratios.")
def peers(messages: int | None, quick: bool, embedder: str, as_json: bool) -> None:
    """Compare with other libraries: the same conversation saved, read back, searched and turned into a prompt.

    They are installed by `make peers`; run this as `.peers/bin/python -m benchmarks peers`. Those that are not installed are
    left out.
    """
    from benchmarks.peers import conversation, measure, table
    from keepsaid.embed import embedder_for

    with ProgressReporter(elsewhere="nothing") as progress:
        sizes = conversation.QUICK if quick else conversation.PeerSizes()
        sizes = replace(sizes, messages=messages or sizes.messages)
        numbers = measure.run(embedder_for(embedder), sizes, tell=progress)
    if as_json:
        echo_json(numbers)
    else:
        click.echo(table.table(numbers))


@bench.command()
@click.option("--messages", type=click.IntRange(min=1), multiple=True, default=(10_000, 100_000), show_default=True,
              help="Messages of one large owner; repeat it for more owners.")  # fmt: skip
@click.option("--owners", type=click.IntRange(min=1), default=1000, show_default=True, help="Owners in the store.")
@click.option("--embedder", metavar="SPEC", default="local", show_default=True, help="What makes the vectors.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Where to keep the made-up store (1.5 GB). Default: your cache folder.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; the numbers of a size are under that size.")
def search(messages: tuple[int, ...], owners: int, embedder: str, folder: Path | None, as_json: bool) -> None:
    """Measure how long a search takes, on one core, with the model and without.

    The first run creates a large store, in some minutes; later ones reuse it.
    """
    from benchmarks.search import haystack
    from benchmarks.search import search as measured
    from keepsaid.embed import embedder_for

    with ProgressReporter(elsewhere="nothing") as progress:
        sizes = haystack.HaystackSizes(tuple(sorted(set(messages))), owners)
        numbers = measured.run(embedder_for(embedder), sizes, folder=folder, tell=progress)
    if as_json:
        echo_json(numbers)
    else:
        click.echo(measured.table(numbers))


@bench.command()
@click.option("--messages", type=click.IntRange(min=1), multiple=True, default=(1_000, 10_000, 100_000, 1_000_000),
              show_default=True, help="Messages of one owner; repeat it for more sizes.")  # fmt: skip
@click.option("--owners", type=click.IntRange(min=1), multiple=True, default=(10, 100, 1_000, 10_000, 100_000),
              show_default=True, help="Owners with a few messages each; repeat it for more sizes.")  # fmt: skip
@click.option(
    "--only",
    type=click.Choice(["messages", "owners", "active"]),
    help="Only this part; `active` is the memory of many active owners.",
)
@click.option("--embedder", metavar="SPEC", default="local", show_default=True, help="What makes the vectors.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Where to put the made-up stores (up to 14 GB at a time). Default: your cache folder.")  # fmt: skip
@click.option("--keep", is_flag=True, help="Keep the stores, so that the next run does not make them again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def growth(
    messages: tuple[int, ...], owners: tuple[int, ...], only: str | None, embedder: str, folder: Path | None, keep: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Measure how calls and memory grow, up to a million messages of one owner, and 100,000 owners.

    The first run creates large stores, in about half an hour.
    """
    from benchmarks.growth import growth as measured
    from benchmarks.growth import growth_table

    sizes = measured.GrowthSizes(
        tuple(sorted(set(messages))) if only in (None, "messages") else (),
        tuple(sorted(set(owners))) if only in (None, "owners") else (),
        measured.GrowthSizes().active if only in (None, "active") else (),
    )
    with ProgressReporter(elsewhere="nothing") as progress:
        numbers = measured.run(embedder, sizes, folder=folder, keep=keep, tell=progress)
    if as_json:
        echo_json(numbers)
    else:
        click.echo(growth_table.table(numbers))


@bench.command()
@click.option(
    "--url", required=True, metavar="URL", help="The server: postgresql://… or redis://…. Uses a temporary schema or prefix."
)
@click.option("--messages", type=click.IntRange(min=100), multiple=True, default=(10_000, 100_000, 1_000_000),
              show_default=True, help="Messages in a store; repeat it for more stores.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; the numbers of a size are under that size.")
def scale(url: str, messages: tuple[int, ...], as_json: bool) -> None:
    """Fill stores on a server, and measure their size and the latency of their calls.

    Each has many owners, and one with a tenth of all messages. A million messages take about 4 GB of
    disk and twenty minutes, and are removed.
    """
    from benchmarks.store import scale as measured
    from benchmarks.store import scale_table

    with ProgressReporter(elsewhere="nothing") as progress:
        numbers = measured.run(url, sorted(set(messages)), tell=progress)
    if as_json:
        echo_json(numbers)
    else:
        click.echo(scale_table.table(numbers))


@bench.command()
@click.option("--seconds", type=click.FloatRange(min=1), default=60.0, show_default=True, help="Length of the mixed load.")
@click.option("--clients", type=click.IntRange(min=1), default=64, show_default=True, help="Number of concurrent clients.")
@click.option("--embedder", metavar="SPEC", help="What makes the vectors. Default: the setting `embedder`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def server(seconds: float, clients: int, embedder: str | None, as_json: bool) -> None:
    """Measure the server under load, compared with a bare FastAPI route that inserts into a raw SQLite table."""
    from benchmarks.server import server as measured

    embedder = embedder or StoreOpener().settings().embedder
    with ProgressReporter(elsewhere="nothing") as progress:
        numbers = measured.run(seconds=seconds, clients=clients, embedder=embedder, tell=progress)
    if as_json:
        echo_json(numbers)
    else:
        click.echo(measured.table(numbers))


@bench.command()
@click.argument("file", type=FILE)
@click.option("--owner", "owners", multiple=True, metavar="OWNER", help="Only this owner.")
@click.option("--embedder", metavar="SPEC", help="What makes the vectors. Default: the setting `embedder`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def facts(file: Path, owners: tuple[str, ...], embedder: str | None, as_json: bool) -> None:
    """Count the facts extracted from a data set, and check prompts of 4k for questions about something that changed.

    FILE is what `bench recall` reads.
    """
    from benchmarks.common import dataset
    from benchmarks.notes import facts as measured

    outline = dataset.read_outline(file)
    with ProgressReporter(elsewhere="nothing") as progress:
        figures = measured.run(file, outline, owners or tuple(outline.owners), embedder, progress)
    if as_json:
        echo_json(figures)
    else:
        click.echo("\n".join(f"{name.replace('_', ' '):28}{value:>10,}" for name, value in figures.items()))


@bench.command()
@click.argument("labels", type=FOLDER)
@click.argument("data", type=FOLDER, required=False)
@click.option("--fit", "target", type=click.Path(path_type=Path), metavar="FILE",
              help="Fit the weights of the note model, cross-validate them, and write them to FILE.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def notes(labels: Path, data: Path | None, target: Path | None, as_json: bool) -> None:
    """Measure which labelled sentences become facts: recall and precision by set, half and kind.

    LABELS is benchmarks/data/facts. DATA contains the public sets that labels.jsonl refers to, locomo10.json and
    longmemeval_oracle.json; without it only our own sentences are read.
    """
    from benchmarks.notes import notes as measured

    if target is not None:
        from benchmarks.notes import note_fit, note_labels

        if data is None:
            raise click.UsageError("--fit needs DATA: our own sentences are too few")
        own = [one for one in note_labels.read_own(labels) if one.set == "own/en" and one.half == "tune"]
        public = [one for one in note_labels.read_labels(labels, data) if one.half != note_labels.FRESH]
        echo_json({"cross_validated": [row._asdict() for row in note_fit.cross_validate([*public, *own])]})
        target.write_text(note_fit.source_of(note_fit.fit([*public, *own])), encoding="utf-8")
        return
    rows = measured.run(labels, data)
    if as_json:
        echo_json({"rows": rows})
    else:
        click.echo(measured.table(rows))


@bench.command()
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE...")
@click.option("--model", "kind", type=click.Choice(["full", "vectors", "words"]), default="full", show_default=True,
              help="The model for token vectors, for plain vectors, or for words alone.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def tune(files: tuple[Path, ...], kind: Kind, as_json: bool) -> None:
    """Fit the weights of the ranking to the tuning halves of some sets, and measure them on both halves.

    The sets are what `bench recall` reads, and their stores are kept. Prints the model as source code for
    engine/ranking/models.py.
    """
    from benchmarks.search import tune as tuned
    from keepsaid.embed import embedder_for

    with ProgressReporter(elsewhere="nothing") as progress:
        result = tuned.run(files, kind, None if kind == "words" else embedder_for("local"), progress)
    if as_json:
        echo_json(result)
    else:
        click.echo(f"{tuned.model_source(result)}\n\n{tuned.table(result)}")


def _progress(step: str) -> None:
    """Print the current step on a terminal; a full run takes a minute or two."""
    if sys.stderr.isatty():
        click.echo(f"measuring: {step}", err=True)


if __name__ == "__main__":
    bench(prog_name="python -m benchmarks")
