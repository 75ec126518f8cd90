"""A command with verbs of its own, one of which is meant when none is said."""

from __future__ import annotations

import click


class Verbs(click.Group):
    """`recollect facts tea` is `recollect facts list tea`. What is no verb, nor a call for help, goes to `default`."""

    default = "list"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # A shell that completes asks for the verbs.
        wants_default = not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names)
        if wants_default and not ctx.resilient_parsing:
            args = [self.default, *args]
        return super().parse_args(ctx, args)


class Shown(Verbs):
    """One whose default is `show`."""

    default = "show"
