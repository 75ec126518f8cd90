"""`recollect completion`: commands completed by a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

VARIABLE = "_RECOLLECT_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands.

    \b
    bash: recollect completion bash > ~/.local/share/bash-completion/completions/recollect
    zsh:  recollect completion zsh > a folder of your fpath, as _recollect
    fish: recollect completion fish > ~/.config/fish/completions/recollect.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = context.find_root()
    click.echo(kind(root.command, {}, "recollect", VARIABLE).source())
