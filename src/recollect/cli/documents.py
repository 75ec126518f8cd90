"""`recollect documents`: files whose pieces answers may draw on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from recollect.cli.door import Door
from recollect.cli.options import json_option, whose
from recollect.cli.progress import Progress, Stopped
from recollect.cli.table import Column, table
from recollect.cli.text import fitted, printable, screen_width
from recollect.cli.verbs import Verbs
from recollect.cli.words import count, echo_json
from recollect.types import Document, Hit

COLUMNS = (
    Column("name", gives_way=True), Column("version", right=True), Column("pieces", right=True),
    Column("tokens", right=True), Column("added"),
)  # fmt: skip
INDENT = "       "
READABLE = (".txt", ".md", ".markdown", ".html", ".htm", ".pdf", ".rst")


@click.group(cls=Verbs)
def documents() -> None:
    """Look after documents that answers may draw on."""


@documents.command("list")
@whose
@click.option("--session", metavar="S", help="Also those of this conversation alone.")
@json_option
@click.pass_obj
def listed(door: Door, owner: str, session: str | None, as_json: bool) -> None:
    """List them, by name."""
    with door.reading(background=False) as memory:
        found = memory.documents(owner=owner, session=session)
    if as_json:
        echo_json({"store": door.where(), "owner": owner, "documents": [*map(_as_json, found)]})
        return
    if not found:
        click.echo(f"Owner {owner!r} has no documents; `recollect documents add FILE` reads one.")
        return
    for line in table(COLUMNS, [_row(document) for document in found], screen_width()):
        click.echo(line)


@documents.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@whose
@click.option("--session", metavar="S", help="For this conversation alone.")
@json_option
@click.pass_obj
def add(door: Door, files: tuple[Path, ...], owner: str, session: str | None, as_json: bool) -> None:
    """Read text, Markdown, HTML or PDF; of a folder, every such file in it.

    A document of the same name is replaced. Stopped and run again, it goes on from there: what is read already is not read
    again.
    """
    read: list[Document] = []
    with door.open_or_make(background=False) as memory, Progress() as progress:
        for file, name in _files(files):
            tell = progress.of(f"Reading {printable(name)}")
            try:
                read.append(memory.ingest(file, owner=owner, name=name, session=session, progress=tell))
            except KeyboardInterrupt:
                raise Stopped(f"Read by now: {count(len(read), 'document')}. Run it again to go on from there.") from None
    for document in () if as_json else read:
        click.echo(_described(document))
    if as_json:
        echo_json({"store": door.where(), "owner": owner, "documents": [*map(_as_json, read)]})


def _files(named: tuple[Path, ...]) -> list[tuple[Path, str]]:
    """The files named, and those in folders named that can be read, without hidden ones; each with its document's name."""
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
@whose
@click.option("--session", metavar="S", help="The one of this conversation.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def remove(door: Door, name: str, owner: str, session: str | None, yes: bool, as_json: bool) -> None:
    """Remove a document with all its versions, for good."""
    with door.open(background=False) as memory:
        if not yes:
            click.confirm(f"Remove {printable(name)!r} of owner {owner!r}, for good?", abort=True, err=True)
        receipt = memory.remove_document(name, owner=owner, session=session)
    if as_json:
        echo_json({"store": door.where(), "name": name, "pieces": receipt.messages, "pending": receipt.pending})
    else:
        click.echo(f"Removed {printable(name)} with {count(receipt.messages, 'piece')}.")


@documents.command()
@click.argument("words", nargs=-1, required=True)
@whose
@click.option("--session", metavar="S", help="Also in those of this conversation.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most so many pieces.")
@json_option
@click.pass_obj
def search(door: Door, words: tuple[str, ...], owner: str, session: str | None, limit: int | None, as_json: bool) -> None:
    """Find pieces that answer a question, best first."""
    asked = " ".join(words)
    with door.reading(background=False) as memory:
        hits = memory.search_documents(asked, owner=owner, session=session, limit=limit)
    for fallback in hits.fallbacks:
        click.echo(f"Note: {fallback}", err=True)
    if as_json:
        echo_json({"store": door.where(), "query": asked, "hits": [*map(_hit, hits)], "fallbacks": hits.fallbacks})
        return
    if not hits:
        click.echo("Nothing found.")
    for hit in hits:
        place = printable(str(hit.message.metadata.get("place", "")))
        click.echo(f"{hit.score:5.2f}  {printable(hit.title or '')}  {click.style(place, dim=True)}")
        click.echo(INDENT + fitted(printable(hit.passage or hit.message.text), screen_width() - len(INDENT)))


def _hit(hit: Hit) -> dict[str, Any]:
    place = hit.message.metadata.get("place")
    return {"document": hit.title, "place": place, "score": round(hit.score, 4), "text": hit.message.text}


def _described(document: Document) -> str:
    said = f"{printable(document.name)}: version {document.version}, {count(document.chunks, 'piece')}"
    return said + "".join(f"; {printable(notice)}" for notice in document.notices)


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
