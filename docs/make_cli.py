"""Writes docs/cli.md and the man page docs/recollect.1 from the commands themselves: `make docs`. A test fails when they
differ."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from recollect.cli import main
from recollect.cli.chat.commands import reference

PAGE = Path(__file__).with_name("cli.md")
MAN = Path(__file__).with_name("recollect.1")

EXIT_CODES = {
    0: "fine",
    1: "something needs your attention: the doctor found something wrong, a backup is not in order, something of an import"
    " could not be read, you said no or stopped it",
    2: "it could not be done; the last line of stderr says why",
}
VARIABLES = {
    "RECOLLECT_DB": "the store, as --db; before RECOLLECT_URL, which means the same",
    "RECOLLECT_OWNER": "whose memory, as --owner",
    "RECOLLECT_CONFIG": "a file of settings, as --config",
    "RECOLLECT_…": "every other setting: docs/configuration.md lists them",
    "NO_COLOR": "set to anything: no colours",
}
MANNERS = """What a command reads it prints to stdout, and with `--json` as one object; all else (progress, notes,
questions) goes to stderr. What destroys asks first, unless `--yes` is given. Colours and progress bars are for terminals
only. Long work that is stopped with Ctrl-C says what is done; run again, it goes on from there."""


def commands() -> Iterator[tuple[str, click.Command, click.Context]]:
    """Every command with its full name, groups before their verbs."""

    def walk(
        name: str, command: click.Command, parent: click.Context | None
    ) -> Iterator[tuple[str, click.Command, click.Context]]:
        context = click.Context(command, parent, info_name=name if parent is None else name.rpartition(" ")[2])
        yield name, command, context
        if isinstance(command, click.Group):
            for verb in command.list_commands(context):
                found = command.get_command(context, verb)
                assert found is not None
                yield from walk(f"{name} {verb}", found, context)

    return walk("recollect", main, None)


def page() -> str:
    """The reference, in Markdown."""
    codes = "\n".join(f"| {code} | {words} |" for code, words in EXIT_CODES.items())
    variables = "\n".join(f"| `{name}` | {words} |" for name, words in VARIABLES.items())
    sections = "\n".join(_section(*one) for one in commands())
    return f"""# The command line

Made by `make docs` from the commands themselves; do not edit. `docs/recollect.1` is the same as a man page.

{MANNERS}

## Exit codes

| code | meaning |
|---|---|
{codes}

## Environment

| variable | meaning |
|---|---|
{variables}

{sections}
## Commands inside `recollect chat`

{reference().rstrip()}
"""


def _section(name: str, command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    depth = "##" if name.count(" ") < 2 else "###"
    lines = [f"{depth} {name}", "", "```", f"{name} {usage}".rstrip(), "```", "", _prose(command), ""]
    options = _options(command, context)
    if options:
        lines += ["| option | meaning |", "|---|---|"]
        lines += [f"| `{_cell(names)}` | {_cell(words)} |" for names, words in options]
        lines += [""]
    return "\n".join(lines)


def _prose(command: click.Command) -> str:
    """The help as it stands in the code; what is set line by line stays so."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    made = [f"```\n{one[1:].strip()}\n```" if one.startswith("\b") else one for one in paragraphs]
    return "\n\n".join(made)


def _options(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    records = [param.get_help_record(context) for param in command.get_params(context) if isinstance(param, click.Option)]
    return [record for record in records if record is not None and "--help" not in record[0]]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def man() -> str:
    """The reference, as a man page."""
    found = list(commands())
    _, root, context = found[0]
    lines = [".TH RECOLLECT 1", ".SH NAME", r"recollect \- the memory for AI assistants, on the command line"]
    lines += [
        ".SH SYNOPSIS",
        ".B recollect",
        r"[OPTIONS] COMMAND [ARGS]...",
        ".SH DESCRIPTION",
        *_roff(MANNERS.replace("`", "")),
    ]
    lines += [".SH OPTIONS", *_man_options(root, context), ".SH COMMANDS"]
    for name, command, of in found[1:]:
        lines += [f".SS {_escaped(name)} {_escaped(' '.join(command.collect_usage_pieces(of)))}".rstrip()]
        lines += [*_roff(_prose(command).replace("`", "")), *_man_options(command, of)]
    lines += [".SH EXIT STATUS"]
    for code, words in EXIT_CODES.items():
        lines += [".TP", f".B {code}", _escaped(words)]
    lines += [".SH ENVIRONMENT"]
    for name, words in VARIABLES.items():
        lines += [".TP", f".B {_escaped(name)}", _escaped(words)]
    return "\n".join(lines) + "\n"


def _man_options(command: click.Command, context: click.Context) -> list[str]:
    return [
        line for names, words in _options(command, context) for line in (".TP", f".B {_escaped(names)}", _escaped(words))
    ]


def _roff(text: str) -> list[str]:
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        lines += [".PP", *(_escaped(line) for line in paragraph.splitlines())]
    return lines[1:]


def _escaped(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    return r"\&" + text if text.startswith((".", "'")) else text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    MAN.write_text(man(), encoding="utf-8")
