"""Write `keepsaid/aio/generated.py`: the verbs of `Memory`, `Chat` and `BlobStore` for `await`.

    python scripts/make_aio.py            # or `make aio`; a test checks that the file is up to date

Each async verb has the signature and the description of its sync counterpart and runs it in a worker thread.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "keepsaid"
TARGET = SOURCE / "aio" / "generated.py"

HEADER = (
    '"""The verbs of `Memory`, `Chat` and `BlobStore` for `await`.'
    ' Made by scripts/make_aio.py from the sync ones: do not edit."""'
)

ASYNC_NAMES = {"Memory": "AsyncMemory", "Chat": "AsyncChat", "BlobStore": "AsyncBlobStore", "Watch": "AsyncWatch"}

WITHOUT = ("__init__", "__enter__", "__exit__", "__repr__", "close")

INTRODUCTIONS = {
    "Chat": '''
    """One conversation, for `await`: every verb of `Chat` by the same name.

    >>> import asyncio, keepsaid
    >>> async def main():
    ...     async with await keepsaid.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1")
    ...         await chat.add("user", "Hello")
    ...         return [message.text for message in await chat.messages(last=20)]
    >>> asyncio.run(main())
    ['Hello']
    """

    def __init__(self, run: ThreadRunner, chat: Chat) -> None:
        self._run = run
        self._chat = chat
''',
    "BlobStore": '''
    """Bytes by name, for `await`: every verb of `BlobStore` by the same name.

    >>> import asyncio, keepsaid
    >>> async def main():
    ...     async with await keepsaid.open_async("memory://") as memory:
    ...         blobs = await memory.blobs(owner="u1")
    ...         await blobs.put({"settings": b"dark"})
    ...         return [blob.name for blob in await blobs.list()]
    >>> asyncio.run(main())
    ['settings']
    """

    def __init__(self, run: ThreadRunner, blobstore: BlobStore) -> None:
        self._run = run
        self._blobstore = blobstore
''',
    "Memory": '''
    """Every conversation of a store, for `await`: every verb of `Memory` by the same name.

    >>> import asyncio, keepsaid
    >>> async def main():
    ...     async with await keepsaid.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1", title="Travel")
    ...         return [session.title for session in await memory.sessions(owner="u1")]
    >>> asyncio.run(main())
    ['Travel']
    """

    def __init__(self, memory: Memory, run: ThreadRunner | None = None) -> None:
        self._memory = memory
        self._run = run or ThreadRunner()

    @classmethod
    async def over(cls, open_memory: Callable[[], Memory]) -> AsyncMemory:
        """An async memory over one that is opened in a worker thread."""
        run = ThreadRunner()
        return cls(await run(open_memory), run)

    async def close(self) -> None:
        """Ends watches and gives back files and threads; safe to call twice."""
        if not self._run.is_closed:
            await self._run(self._memory.close)
            self._run.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
''',
}

WATCH_BODIES = {
    "Chat": "watched = await self._run(self._chat._watched)  # pyright: ignore[reportPrivateUsage]\n"
    "return await AsyncWatch.over(self._run, *watched, after)",
    "Memory": "watched = await self._run(self._memory._watched, owner, session, pool)"
    "  # pyright: ignore[reportPrivateUsage]\n"
    "return await AsyncWatch.over(self._run, *watched, after)",
}


class SyncClass:
    """A class of the sync API, with the files that its verbs are in (bases first)."""

    def __init__(self, name: str, paths: list[Path]) -> None:
        self.name = name
        self.field = f"_{name.lower()}"
        self.verbs: list[ast.FunctionDef] = []
        self.imports: dict[str, str] = {}
        for path in paths:
            tree = ast.parse(path.read_text())
            self.imports |= dict(_imports(tree, path))
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    self.verbs += [verb for verb in node.body if isinstance(verb, ast.FunctionDef) and _is_public(verb)]

    def written(self) -> str:
        """The async class."""
        verbs = "\n".join(textwrap.indent(self._verb(verb), "    ") for verb in self.verbs)
        return f"class {ASYNC_NAMES[self.name]}:{INTRODUCTIONS[self.name]}\n{verbs}\n"

    def _verb(self, verb: ast.FunctionDef) -> str:
        doc = _description(verb)
        returns = "" if verb.returns is None else ast.unparse(verb.returns)
        is_property = any(isinstance(one, ast.Name) and one.id == "property" for one in verb.decorator_list)
        signature = f"({ast.unparse(verb.args)}) -> {ASYNC_NAMES.get(returns, returns)}:"
        if is_property:
            inner = textwrap.indent(f"{doc}\nreturn self.{self.field}.{verb.name}", "    ")
            return f"@property\ndef {verb.name}{signature}\n{inner}\n"
        body = WATCH_BODIES[self.name] if verb.name == "watch" else self._call(verb, returns)
        inner = textwrap.indent(f"{doc}\n{body}", "    ")
        return f"async def {verb.name}{signature}\n{inner}\n"

    def _call(self, verb: ast.FunctionDef, returns: str) -> str:
        given = verb.args
        names = [one.arg for one in [*given.posonlyargs, *given.args]][1:]
        passed = [f"self.{self.field}.{verb.name}", *names]
        passed += [f"*{given.vararg.arg}"] if given.vararg else []
        passed += [f"{one.arg}={one.arg}" for one in given.kwonlyargs]
        call = f"await self._run({', '.join(passed)})"
        if returns in ASYNC_NAMES:
            return f"return {ASYNC_NAMES[returns]}(self._run, {call})"
        return call if returns == "None" else f"return {call}"

    def names_in_signatures(self) -> set[str]:
        """What the signatures name: types and defaults."""
        nodes = [part for verb in self.verbs for part in (verb.args, verb.returns) if part is not None]
        return {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}

    def default_names(self) -> set[str]:
        """What must be there when the module is loaded."""
        defaults = [one for verb in self.verbs for one in (*verb.args.defaults, *verb.args.kw_defaults) if one is not None]
        return {one.id for node in defaults for one in ast.walk(node) if isinstance(one, ast.Name)}


def _is_public(verb: ast.FunctionDef) -> bool:
    return not verb.name.startswith("_") and verb.name not in WITHOUT


def _description(verb: ast.FunctionDef) -> str:
    """The docstring without its examples, which are sync."""
    text = (ast.get_docstring(verb) or "").split(">>>")[0].strip()
    lines = text.split("\n")
    return f'"""{text}"""' if len(lines) == 1 else f'"""{text}\n"""'


def _imports(tree: ast.Module, path: Path) -> Iterator[tuple[str, str]]:
    """The import line of each name that a file imports or defines."""
    module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                yield one.asname or one.name, f"from {node.module} import {one.name}"
        elif isinstance(node, ast.Import):
            for one in node.names:
                yield one.asname or one.name, f"import {one.name}"
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, f"from {module} import {target.id}"


def generated() -> str:
    """The whole module, formatted."""
    memory, chat = SOURCE / "memory", SOURCE / "memory" / "chat"
    verbs = [path for path in sorted(memory.glob("*.py")) if path.stem not in ("__init__", "memory", "blobs", "watch")]
    classes = [
        SyncClass("Chat", [chat / f"{name}.py" for name in ("base", "messages", "branches", "session")]),
        SyncClass("BlobStore", [memory / "blobs.py"]),
        SyncClass("Memory", [*verbs, memory / "memory.py"]),
    ]
    known: dict[str, str] = {}
    for one in classes:
        known |= one.imports
    needed = set().union(*(one.names_in_signatures() for one in classes)) - {"str", "int", "bool", "float", "bytes", "dict"}
    at_runtime = set().union(*(one.default_names() for one in classes))
    own = {"list", "tuple", *ASYNC_NAMES}
    always = {known[name] for name in needed & at_runtime if name in known}
    typing_only = {known[name] for name in needed - at_runtime - own if name in known}
    typing_only |= {"from collections.abc import Callable", "from types import TracebackType"}
    typing_only |= {
        "from keepsaid.memory.blobs import BlobStore",
        "from keepsaid.memory.chat import Chat",
        "from keepsaid.memory import Memory",
    }
    lines = [
        HEADER,
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING",
        *sorted(always),
        "from keepsaid.aio.thread_runner import ThreadRunner",
        "from keepsaid.aio.watch import AsyncWatch",
        "",
        "if TYPE_CHECKING:",
        *(f"    {line}" for line in sorted(typing_only)),
        "",
        "",
        *(one.written() for one in classes),
    ]
    return _formatted("\n".join(lines))


def _formatted(code: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--fix-only", "--select", "I,F401"], ["format"]):
        run = [*ruff, *command, "--quiet", "--stdin-filename", str(TARGET), "-"]
        code = subprocess.run(run, input=code, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return code


if __name__ == "__main__":
    TARGET.write_text(generated())
