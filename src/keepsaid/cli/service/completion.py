"""`keepsaid completion`: print the shell completion script."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

VARIABLE = "_KEEPSAID_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands.

    \b
    bash: keepsaid completion bash > ~/.local/share/bash-completion/completions/keepsaid
    zsh:  keepsaid completion zsh > a folder of your fpath, as _keepsaid
    fish: keepsaid completion fish > ~/.config/fish/completions/keepsaid.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = context.find_root()
    click.echo(kind(root.command, {}, "keepsaid", VARIABLE).source())
