"""The command `citeproof`: its subcommands by name, and the one place where errors meet the user.

Subcommands are imported when they are called, so that `--help` and a typing mistake answer at once.
"""

from __future__ import annotations

import gc
import os
import shlex
import sys
import traceback
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click

from citeproof.errors import AuditError, CiteproofError, Exit, NothingFoundError, UsageError
from citeproof.plumbing.own_files import RefusedFileError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def freeze_loaded_objects() -> None:
    """Let the collector leave alone what is loaded by now: modules, tables and models, none of it garbage.

    A check makes millions of small values and hardly a cycle; every tenth of its time went into looking
    for some among everything that was imported. Only for a command: in somebody's program it is theirs.
    """
    gc.freeze()
    gc.enable()


# name: (module of this folder, and the command in it unless it is `command`; its line in `citeproof --help`)
COMMANDS = {
    "check": ("check", "Check the references of documents."),
    "batch": ("batch", "Check the references of thousands of documents; can be resumed."),
    "verify": ("verify", "Verify one citation given by flags."),
    "extract": ("extract", "Show the references in a document."),
    "parse": ("parse", "Parse citation strings into fields."),
    "index": ("index", "Build, inspect and search snapshots (records for offline use)."),
    "sources": ("sources", "Show or test the sources, with their limits and status."),
    "lists": ("lists", "Show, import, update or pin the lists."),
    "memory": ("work_memory", "Show, export or clear the memory of verified works."),
    "watch": ("watch", "Report what changed in a library since the last run."),
    "corpus": ("corpus", "Verify Markdown documents against a research corpus and files."),
    "claims": ("claims", "Verify the citations of claims, and trace every decision."),
    "guard": ("guard", "Show a text with verified citations only, render markers, or require receipts."),
    "serve": ("servers", "Serve the web page and the REST API."),
    "audit": ("audit", "Verify, show, export and replay the audit log."),
    "bench": ("bench", "Make, run and compare benchmarks; tune the judge."),
    "fix": ("fix", "Correct references in documents."),
    "mcp": ("servers:mcp_command", "Serve the tools to a language model over MCP."),
    "lsp": ("servers:lsp_command", "Serve an editor over the Language Server Protocol."),
    "policy": ("trust:policy_command", "List and show policies."),
    "init": ("trust:init_command", "Write a commented settings file for a project."),
    "trust": ("trust:trust_command", "Trust a project's settings file."),
    "doctor": ("doctor", "Diagnose the installation."),
}
_CODES = {AuditError: Exit.AUDIT, NothingFoundError: Exit.NOTHING}  # of errors; all others are wrong usage
_SAID = 2000  # characters of one part of an error that are shown
REPORT = "This is a bug. Please report it with what `citeproof --debug …` and `citeproof doctor` print."
Table = Mapping[str, tuple[str, str]]  # name: (module of the package, its line of help)


def make_lazy_group(package: str, table: Table) -> type[click.Group]:
    """Return the class of a group that knows its commands by name and loads only the one that is called."""

    class Lazy(click.Group):
        def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's shape
            return list(table)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's shape
            if cmd_name not in table:
                return None
            module, _, name = table[cmd_name][0].partition(":")
            command = getattr(import_module(f"{package}.{module}"), name or "command")
            assert isinstance(command, click.Command)
            if not gc.isenabled():  # `__main__` stopped it
                freeze_loaded_objects()
            return command

        def resolve_command(
            self, ctx: click.Context, args: list[str]
        ) -> tuple[str | None, click.Command | None, list[str]]:
            if not ctx.resilient_parsing and args[0] not in table and not args[0].startswith("-"):
                from difflib import get_close_matches  # noqa: PLC0415 - only who mistyped needs it

                flag = f"--{args[0]}" if args[0] in ("help", "version") else ""
                near = [flag] if flag else get_close_matches(args[0], table, n=1)
                if table is COMMANDS and not near and ("." in args[0] or os.path.lexists(args[0])):
                    hint = f"citeproof check {shlex.join(args)}"
                    raise UsageError("is something to check, not a command", place=args[0], hint=hint)
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


@click.group(
    cls=make_lazy_group("citeproof.surfaces.cli", COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(None, "-V", "--version", package_name="citeproof", message="citeproof %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of a bug.")
def cli(*, debug: bool) -> None:
    """Verify citations with evidence.

    \b
    citeproof index starter             build a first snapshot to check against
    citeproof check refs.bib            check a bibliography
    citeproof check refs.bib --offline  check without the network
    citeproof check - < answer.md       check what a language model wrote
    citeproof verify --title "…" --doi 10.1038/nature14539

    \b
    Exit codes: 0 clean, 1 problems found, 2 wrong usage, 3 nothing to check,
    4 something could not be checked (1 wins over 4), 5 the audit log cannot be written.
    """
    del debug  # read by `main`, which must know it even when the command line is wrong


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(50_000, 20, 50)
    arguments = sys.argv[1:] if arguments is None else arguments
    sys.exit(_run_command(arguments, debug="--debug" in arguments))


def _run_command(arguments: list[str], *, debug: bool) -> int:
    """Return the exit code; every error is reported in words, a bug's traceback only on demand."""
    try:
        _refuse_option_files(arguments)
        result = cli.main(args=arguments, prog_name="citeproof", standalone_mode=False)
        sys.stdout.flush()
    except CiteproofError as error:
        _print_error(*(part for part in (error.place, error.message) if part), hint=error.hint)
        return next((code for kind, code in _CODES.items() if isinstance(error, kind)), Exit.USAGE)
    except click.ClickException as error:
        _print_usage_error(error)
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort) as error:
        _print_stderr(str(error.__cause__ or error) or "interrupted")  # click makes the first into the second
        return Exit.INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:  # click makes the first into the second
        completed = isinstance(error, SystemExit) and not error.code  # what a shell asked for is printed
        return Exit.CLEAN if completed else _close_pipe()
    except OSError as error:
        hint = error.hint if isinstance(error, RefusedFileError) else ""
        _print_error(str(error.filename or "output"), error.strerror or str(error), hint=hint)
        return Exit.USAGE
    except Exception as error:  # noqa: BLE001 - the last place where a bug can be put in words
        _print_error(type(error).__name__, str(error))
        _print_stderr(f"  {REPORT}")
        if debug:
            traceback.print_exc()
        return Exit.BUG
    return int(result) if isinstance(result, int) else Exit.CLEAN


def _refuse_option_files(arguments: list[str]) -> None:
    """Raise for an option that is the name of a file here: a stranger may have chosen the name.

    A pattern of a shell, `xargs` and hooks put names of files where options are read.
    """
    end = arguments.index("--") if "--" in arguments else None
    for argument in arguments[:end]:
        if argument.startswith("-") and argument != "-" and os.path.lexists(argument):
            hint = f"for the file, write ./{argument} or put -- before it; for the option, use another folder"
            raise UsageError("is an option, and a file here has this name", place=argument, hint=hint)


def _print_usage_error(error: click.ClickException) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):  # its message is the whole help text
        error.show()
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "citeproof"
    near = ""
    if context and isinstance(error, click.NoSuchOption) and len(error.option_name) == 2:
        flags = sorted(flag for option in context.command.params for flag in option.opts)
        alike = " or ".join(flag for flag in flags if flag.startswith(f"-{error.option_name}"))
        near = f"did you mean {alike}? " if alike else ""
    elif context and error.format_message().startswith("Missing "):
        lines = (line.strip().partition("  ")[0] for line in (context.command.help or "").splitlines())
        near = next((f"for example: {line}; " for line in lines if line.startswith(f"{command} ")), "")
    _print_error(error.format_message(), hint=f"{near}see `{command} --help`")


def _print_error(*parts: str, hint: str = "") -> None:
    """Print an error, each part on one line: a file's name may hold escapes and line ends."""
    from citeproof.answers.reporters.wording import show_line  # noqa: PLC0415 - not needed by a run that goes well

    _print_stderr("error: " + ": ".join(show_line(part, _SAID) for part in parts))
    if hint:
        _print_stderr(f"  hint: {show_line(hint, _SAID)}")


def _print_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def _close_pipe() -> int:
    """Return the code of a reader that went away; Python must not try to flush to it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.BROKEN_PIPE
