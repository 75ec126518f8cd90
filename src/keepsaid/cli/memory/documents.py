"""`keepsaid documents`: manage the files that answers may draw on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from keepsaid.cli.default_command import DefaultListGroup
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option, owner_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.progress import CommandInterrupted, ProgressReporter
from keepsaid.cli.output.table import TableColumn, format_table
from keepsaid.cli.output.text import screen_width, to_printable, truncate_to_width
from keepsaid.types import Document, SearchHit

COLUMNS = (
    TableColumn("name", flexible=True), TableColumn("version", right=True), TableColumn("pieces", right=True),
    TableColumn("tokens", right=True), TableColumn("added"),
)  # fmt: skip
INDENT = "       "
READABLE = (".txt", ".md", ".markdown", ".html", ".htm", ".pdf", ".rst")


@click.group(cls=DefaultListGroup)
def documents() -> None:
    """Manage the documents that answers may draw on."""


@documents.command("list")
@owner_option
@click.option("--session", metavar="S", help="Include documents of this conversation.")
@json_option
@click.pass_obj
def list_documents(opener: StoreOpener, owner: str, session: str | None, as_json: bool) -> None:
    """List documents by name."""
    with opener.open_for_reading(background=False) as memory:
        found = memory.documents(owner=owner, session=session)
    if as_json:
        echo_json({"store": opener.location(), "owner": owner, "documents": [*map(_as_json, found)]})
        return
    if not found:
        click.echo(f"Owner {owner!r} has no documents; `keepsaid documents add FILE` adds one.")
        return
    for line in format_table(COLUMNS, [_row(document) for document in found], screen_width()):
        click.echo(line)


@documents.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@owner_option
@click.option("--session", metavar="S", help="Add to this conversation only.")
@json_option
@click.pass_obj
def add(opener: StoreOpener, files: tuple[Path, ...], owner: str, session: str | None, as_json: bool) -> None:
    """Add text, Markdown, HTML or PDF files; of a folder, every such file in it.

    A document of the same name is replaced. If interrupted, run it again to continue: files already read are skipped.
    """
    read: list[Document] = []
    with opener.open_or_create(background=False) as memory, ProgressReporter() as progress:
        for file, name in _expand_paths(files):
            tell = progress.counter(f"Reading {to_printable(name)}")
            try:
                read.append(memory.ingest(file, owner=owner, name=name, session=session, progress=tell))
            except KeyboardInterrupt:
                raise CommandInterrupted(
                    f"Read so far: {format_count(len(read), 'document')}. Run it again to continue."
                ) from None
    for document in () if as_json else read:
        click.echo(_describe_document(document))
    if as_json:
        echo_json({"store": opener.location(), "owner": owner, "documents": [*map(_as_json, read)]})


def _expand_paths(named: tuple[Path, ...]) -> list[tuple[Path, str]]:
    """Return the given files, and the readable, visible files in given folders, each with its document name."""
    found: list[tuple[Path, str]] = []
    for path in named:
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if one.suffix.lower() in READABLE and one.is_file())
            names = [(one, one.relative_to(path).as_posix()) for one in inside]
            found += [(one, name) for one, name in names if not f"/{name}".count("/.")]
        else:
            found.append((path, path.name))
    return found


@documents.command()
@click.argument("name")
@owner_option
@click.option("--session", metavar="S", help="The document of this conversation.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def remove(opener: StoreOpener, name: str, owner: str, session: str | None, yes: bool, as_json: bool) -> None:
    """Remove a document with all its versions for good."""
    with opener.open(background=False) as memory:
        if not yes:
            click.confirm(f"Remove {to_printable(name)!r} of owner {owner!r}, for good?", abort=True, err=True)
        receipt = memory.remove_document(name, owner=owner, session=session)
    if as_json:
        echo_json({"store": opener.location(), "name": name, "pieces": receipt.messages, "pending": receipt.pending})
    else:
        click.echo(f"Removed {to_printable(name)} with {format_count(receipt.messages, 'piece')}.")


@documents.command()
@click.argument("words", nargs=-1, required=True)
@owner_option
@click.option("--session", metavar="S", help="Include documents of this conversation.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Return at most N pieces.")
@json_option
@click.pass_obj
def search(
    opener: StoreOpener, words: tuple[str, ...], owner: str, session: str | None, limit: int | None, as_json: bool
) -> None:
    """Find pieces that answer a question, best first."""
    query = " ".join(words)
    with opener.open_for_reading(background=False) as memory:
        hits = memory.search_documents(query, owner=owner, session=session, limit=limit)
    for fallback in hits.fallbacks:
        click.echo(f"Note: {fallback}", err=True)
    if as_json:
        echo_json(
            {"store": opener.location(), "query": query, "hits": [*map(_hit_as_json, hits)], "fallbacks": hits.fallbacks}
        )
        return
    if not hits:
        click.echo("Nothing found.")
    for hit in hits:
        place = to_printable(str(hit.message.metadata.get("place", "")))
        click.echo(f"{hit.score:5.2f}  {to_printable(hit.title or '')}  {click.style(place, dim=True)}")
        click.echo(INDENT + truncate_to_width(to_printable(hit.passage or hit.message.text), screen_width() - len(INDENT)))


def _hit_as_json(hit: SearchHit) -> dict[str, Any]:
    place = hit.message.metadata.get("place")
    return {"document": hit.title, "place": place, "score": round(hit.score, 4), "text": hit.message.text}


def _describe_document(document: Document) -> str:
    line = f"{to_printable(document.name)}: version {document.version}, {format_count(document.chunks, 'piece')}"
    return line + "".join(f"; {to_printable(notice)}" for notice in document.notices)


def _row(document: Document) -> list[str]:
    return [
        document.name, f"{document.version}", f"{document.chunks:,}", f"{document.tokens:,}",
        f"{document.added_at.astimezone():%Y-%m-%d %H:%M}",
    ]  # fmt: skip


def _as_json(document: Document) -> dict[str, Any]:
    return {
        "id": document.id, "name": document.name, "version": document.version, "pieces": document.chunks,
        "tokens": document.tokens, "media_type": document.media_type, "added": document.added_at.isoformat(),
        "session": document.session, "source": document.source, "title": document.title, "notices": list(document.notices),
    }  # fmt: skip
