"""Command groups with a default subcommand."""

from __future__ import annotations

import click


class DefaultListGroup(click.Group):
    """Runs `default` unless a subcommand or help is asked for: `keepsaid facts tea` is `keepsaid facts list tea`."""

    default = "list"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # During shell completion (resilient parsing), the subcommands themselves are completed.
        wants_default = not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names)
        if wants_default and not ctx.resilient_parsing:
            args = [self.default, *args]
        return super().parse_args(ctx, args)


class DefaultShowGroup(DefaultListGroup):
    """A group whose default subcommand is `show`."""

    default = "show"
