"""A group of commands that are imported when they are called, so that `--help` answers at once."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Table = Mapping[str, tuple[str, str]]  # name: (module of the package, its line of help)


def make_lazy_group(package: str, table: Table) -> type[click.Group]:
    """Return the class of a group that knows its commands by name and loads only the one that is called."""

    class Lazy(click.Group):
        def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's shape
            return list(table)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's shape
            if cmd_name not in table:
                return None
            command = import_module(f"{package}.{table[cmd_name][0]}").command
            assert isinstance(command, click.Command)
            return command

        def resolve_command(
            self, ctx: click.Context, args: list[str]
        ) -> tuple[str | None, click.Command | None, list[str]]:
            if not ctx.resilient_parsing and args[0] not in table and not args[0].startswith("-"):
                from difflib import get_close_matches  # noqa: PLC0415 - only who mistyped needs it

                flag = f"--{args[0]}" if args[0] in ("help", "version") else ""
                near = [flag] if flag else get_close_matches(args[0], table, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                ctx.fail(f"No such command {args[0]!r}.{hint}")
            return super().resolve_command(ctx, args)

        def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's shape
            with formatter.section("Commands"):
                formatter.write_dl([(name, short) for name, (_, short) in table.items()])

        def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
            from click.shell_completion import CompletionItem  # noqa: PLC0415 - only the Tab key needs it

            named = [(name, short) for name, (_, short) in table.items() if name.startswith(incomplete)]
            items = [CompletionItem(name, help=short) for name, short in named]
            return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    return Lazy
