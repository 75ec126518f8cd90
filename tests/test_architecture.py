"""Layers: which package may import which, what is public, and what an import loads."""

import ast
import gc
import importlib
import inspect
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import keepsaid
from keepsaid.aio import AsyncBlobStore, AsyncChat, AsyncMemory, AsyncWatch
from keepsaid.errors import MissingExtra
from keepsaid.memory.blobs import BlobStore

SOURCE = Path(keepsaid.__file__).parent

LAYERS = """
cli
server mcp adapters testing
wiring
aio agent
memory
transfer
services
storage index embed llm reading interchange
engine
config ports
types
errors
"""
"""A package imports from the lines below its own only. This is the one list of packages; `docs/architecture.md` draws it."""
LEVEL = {package: -level for level, line in enumerate(LAYERS.split("\n")) for package in line.split()}


class RuntimeImports(ast.NodeVisitor):
    """Collect the packages of ours that a module imports, also inside functions, but not for type checking alone."""

    def __init__(self) -> None:
        self.packages: set[str] = set()

    def visit_If(self, node):
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_Import(self, node):
        self._add(alias.name for alias in node.names)

    def visit_ImportFrom(self, node):
        self._add([node.module or ""] if node.module != "keepsaid" else [f"keepsaid.{alias.name}" for alias in node.names])

    def _add(self, names):
        self.packages |= {name.split(".")[1] for name in names if name.startswith("keepsaid.")}


def imported_packages(path):
    visitor = RuntimeImports()
    gc.disable()  # CPython 3.11 fails if garbage of another test is collected while it builds a tree (gh-106905)
    try:
        visitor.visit(ast.parse(path.read_text()))
    finally:
        gc.enable()
    return visitor.packages & LEVEL.keys()


def files_of(package):
    return sorted((SOURCE / package).rglob("*.py")) or [SOURCE / f"{package}.py"]


@pytest.mark.parametrize("package", LEVEL)
def test_package_imports_from_lower_layers_only(package):
    imported = {other for path in files_of(package) for other in imported_packages(path)} - {package}
    assert not {other for other in imported if LEVEL[other] >= LEVEL[package]}


def test_every_package_has_a_layer():
    packages = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert packages - {"__init__", "__main__", "__pycache__"} == set(LEVEL)


@pytest.mark.parametrize("package", ["services", "transfer", "memory", "aio", "agent"])
def test_services_and_api_do_not_mention_sqlite(package):
    assert not [path.name for path in files_of(package) if "sqlite" in path.read_text().lower()]


@pytest.mark.parametrize("path", sorted((SOURCE / "engine").rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_engine_uses_no_io_clock_or_randomness(path):
    forbidden = {"os", "time", "pathlib", "subprocess", "socket", "random", "secrets"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert not {alias.name.split(".")[0] for alias in node.names} & forbidden
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in forbidden
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("now", "utcnow", "environ")


def test_package_exports_expected_public_names():
    assert sorted(keepsaid.__all__) == sorted(
        """
        Agent Answer AsyncChat AsyncMemory AsyncWatch Branch BudgetTooSmall ChangePosition Chat ChatService CheckFinding
        Cited Conflict ContentPart Context Document EraseReceipt ExportReport Fact FactChange ImportReport InvalidInput
        KeepsaidError LLMError Limits Memory MemoryChange MemoryStats Message MessageAddition MessageDraft MessageWindow
        NotFound Page PoolAccess PoolGrant Profile ProfileLine PromptItem PromptReceipt PromptReplay RelevantContext
        RetentionPolicy RetentionReport Role SearchHit SearchHits Session SessionStatus Settings StatsPeriod
        StorageError StorageUsage StoreDiagnosis Summary Tool ToolCall Watch __version__ errors open open_async
        """.split()
    )
    for name in keepsaid.__all__:
        assert getattr(keepsaid, name) is not None
    with pytest.raises(AttributeError):
        keepsaid.nothing_like_it  # noqa: B018


def public_members(cls):
    return {
        name: member
        for base in reversed(cls.__mro__)
        for name, member in vars(base).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    }


def test_every_public_name_has_an_example():
    """The examples themselves run as doctests."""
    exempt = {"errors", "__version__", "Conflict", "LLMError", "NotFound", "StorageError"}
    for name in set(keepsaid.__all__) - exempt:
        assert ">>>" in (getattr(keepsaid, name).__doc__ or ""), name
    for cls in (keepsaid.Memory, keepsaid.Chat, keepsaid.Watch, keepsaid.Agent, keepsaid.ChatService, BlobStore):
        for name, member in public_members(cls).items():
            assert ">>>" in (member.__doc__ or ""), f"{cls.__name__}.{name}"


@pytest.mark.parametrize(
    ("sync", "asynchronous", "own"),
    [
        (keepsaid.Memory, AsyncMemory, {"over"}),
        (keepsaid.Chat, AsyncChat, set()),
        (keepsaid.Watch, AsyncWatch, {"over"}),
        (BlobStore, AsyncBlobStore, set()),
    ],
)
def test_async_classes_have_same_methods_as_sync_classes(sync, asynchronous, own):
    ours, theirs = public_members(sync), public_members(asynchronous)
    assert theirs.keys() - own == ours.keys()
    for name in theirs.keys() - own:
        if isinstance(ours[name], property):
            assert isinstance(theirs[name], property)
            continue
        assert inspect.iscoroutinefunction(theirs[name]), name
        here, there = inspect.signature(ours[name]), inspect.signature(theirs[name])
        assert list(here.parameters.values()) == list(there.parameters.values()), name


def test_generated_async_module_is_up_to_date():
    made = runpy.run_path(str(SOURCE.parents[1] / "scripts" / "make_aio.py"))["generated"]()
    assert (SOURCE / "aio" / "generated.py").read_text() == made, "run `make aio`"


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_import_loads_no_submodules():
    loaded = run_python("import sys, keepsaid; print(*sorted(m for m in sys.modules if m.startswith('keepsaid')))")
    assert loaded == "keepsaid"


def test_saving_message_loads_no_heavy_dependencies():
    """Opening a store and saving a message needs no numpy, pydantic, HTTP or async library."""
    code = """
import sys, tempfile, keepsaid
with keepsaid.open(tempfile.mkdtemp() + "/chat.db") as memory:
    memory.chat(owner="u1").add("user", "hello")
heavy = {"numpy", "pydantic", "requests", "httpx", "urllib3", "http.client", "click", "hypothesis", "pytest", "onnxruntime"}
print(*sorted(heavy & set(sys.modules)))
"""
    assert run_python(code) == ""


def test_saving_message_does_not_import_analysis_modules():
    """Modules for questions, notes and prompts are imported by the worker or on first use, not when saving a message."""
    code = """
import sys, tempfile, keepsaid
with keepsaid.open(tempfile.mkdtemp() + "/chat.db", background=False) as memory:
    memory.chat(owner="u1").add("user", "I live in Lisbon.")
late = (
    "services.search.searcher", "services.facts", "services.prompts.candidates", "services.prompts.builder",
    "services.prompts.receipts", "services.prompts.summaries", "services.documents", "services.llm_writers", "engine.facts",
    "engine.summary", "engine.query.query", "engine.follow_up", "engine.titles", "engine.redaction", "llm.openai", "reading",
)
print(*(name for name in late if f"keepsaid.{name}" in sys.modules))
"""
    assert run_python(code) == ""


def test_worker_thread_imports_its_own_modules():
    code = """
import sys, tempfile, threading, keepsaid
from importlib import abc
class Spy(abc.MetaPathFinder):
    seen = {}
    def find_spec(self, name, path, target=None):
        self.seen.setdefault(name, threading.current_thread() is threading.main_thread())
sys.meta_path.insert(0, Spy())
with keepsaid.open(tempfile.mkdtemp() + "/chat.db") as memory:
    chat = memory.chat(owner="u1")
    chat.add("user", "I live in Lisbon.")
    job = "keepsaid.services.facts.extraction_job"
    while job not in sys.modules or not hasattr(sys.modules[job], "ExtractionJob"):
        pass
print(*sorted(name for name in (job, "keepsaid.engine.facts", "numpy") if Spy.seen.get(name)))
"""
    assert run_python(code) == ""


def test_all_modules_can_be_imported():
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        try:
            importlib.import_module(".".join(parts).removesuffix(".__init__"))
        except ImportError as error:
            # An adapter whose framework is not installed says so, or is the module that translates for one that does.
            is_missing = isinstance(error, MissingExtra) or not str(error.name).startswith("keepsaid")
            if not is_missing or parts[1] not in ("adapters", "index", "mcp"):
                raise
