"""The house: which room may know which, what is public, and what an import costs."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import recollect
from recollect.aio import AsyncChat, AsyncDrawer, AsyncMemory, AsyncWatch
from recollect.drawer import Drawer
from recollect.errors import MissingExtra

SOURCE = Path(recollect.__file__).parent

GROUND, SOCKETS, ENGINE, WORKSHOPS, HALL, FRONT_HALL, WIRING, UPKEEP, SCHEDULE, DOORS = range(10)
ROOMS = {
    "types": GROUND,
    "errors": GROUND,
    "prompt": GROUND,
    "reports": GROUND,
    "config": GROUND,
    "ports": SOCKETS,
    "engine": ENGINE,
    "storage": WORKSHOPS,
    "index": WORKSHOPS,
    "tokens": WORKSHOPS,
    "embed": WORKSHOPS,
    "reading": WORKSHOPS,
    "llm": WORKSHOPS,
    "interchange": WORKSHOPS,
    "kit": HALL,
    "watch": HALL,
    "asking": HALL,
    "worker": HALL,
    "vectorize": HALL,
    "recall": HALL,
    "documents": HALL,
    "retrievers": HALL,
    "senses": HALL,
    "turn": HALL,
    "summaries": HALL,
    "factbook": HALL,
    "factedits": HALL,
    "profiles": HALL,
    "notes": HALL,
    "scribes": HALL,
    "receipts": HALL,
    "knowledge": HALL,
    "finder": HALL,
    "composer": HALL,
    "outcome": HALL,
    "prompter": HALL,
    "staff": HALL,
    "lineage": HALL,
    "exporter": HALL,
    "growth": HALL,
    "importer": HALL,
    "transfer": HALL,
    "additions": HALL,
    "drawer": HALL,
    "chat": HALL,
    "memory": HALL,
    "aio": FRONT_HALL,
    "agent": FRONT_HALL,
    "copier": FRONT_HALL,
    "wiring": WIRING,
    "copies": UPKEEP,
    "schedule": SCHEDULE,
    "cli": DOORS,
    "server": DOORS,
    "adapters": DOORS,
    "mcp": DOORS,
    "__main__": DOORS,
    "bench": DOORS,
    "testing": DOORS,
}
HALL_PLAN = {
    "vectorize": "kit",
    "recall": "asking vectorize",
    "documents": "kit recall",
    "summaries": "kit",
    "factbook": "kit",
    "factedits": "kit factbook",
    "profiles": "kit factbook notes",
    "notes": "kit factbook summaries",
    "receipts": "kit summaries factbook",
    "knowledge": "turn factbook",
    "finder": "turn recall documents knowledge",
    "outcome": "turn receipts",
    "composer": "kit turn summaries receipts finder knowledge outcome profiles",
    "prompter": "kit turn retrievers",
    "senses": "kit asking vectorize recall scribes",
    "staff": "kit senses worker vectorize recall documents factbook factedits profiles knowledge summaries notes receipts"
    " finder composer scribes",
    "exporter": "documents lineage",
    "growth": "kit",
    "importer": "kit documents growth",
    "transfer": "kit exporter importer",
    "additions": "kit",
    "chat": "kit watch prompter",
    "memory": "kit watch turn additions drawer chat prompter documents recall senses staff transfer",
}
"""Who in the hall knows whom: those who work know those below them, `staff` hires them all, `memory` knows them by it."""
WITHIN_THE_HALL = {(here, there) for here, below in HALL_PLAN.items() for there in below.split()}
ON_THE_GROUND = {("types", "errors"), ("prompt", "types"), ("reports", "types"), ("config", "types"), ("config", "errors")}
AMONG_THE_DOORS = {("cli", "bench"), ("cli", "server"), ("cli", "mcp"), ("__main__", "cli"), ("bench", "server")}


def imports() -> list[tuple[str, str]]:
    """Every edge between two rooms, also those inside functions."""
    edges = []
    for path in SOURCE.rglob("*.py"):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module] if node.module != "recollect" else [f"recollect.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            edges += [(room, name.split(".")[1]) for name in names if name.startswith("recollect.")]
    return [(here, there) for here, there in edges if here not in ("__init__", there) and there in ROOMS]


def test_rooms_import_downwards_only():
    allowed = ON_THE_GROUND | WITHIN_THE_HALL | AMONG_THE_DOORS
    wrong = {edge for edge in imports() if ROOMS[edge[0]] <= ROOMS[edge[1]] and edge not in allowed}
    assert not wrong


def test_the_hall_is_drawn_as_it_is():
    """No edge of the plan that nobody needs any more, and nobody who knows himself by others."""
    assert set(imports()) >= WITHIN_THE_HALL
    below = {here: set(known.split()) for here, known in HALL_PLAN.items()}
    while below:
        lowest = {here for here, known in below.items() if not known & below.keys()}
        assert lowest, f"a circle among {sorted(below)}"
        below = {here: known for here, known in below.items() if here not in lowest}


def test_every_room_is_on_the_plan():
    rooms = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__", "py.typed"} == set(ROOMS)


@pytest.mark.parametrize("room", [room for room, floor in ROOMS.items() if floor in (HALL, FRONT_HALL)])
def test_the_hall_never_learns_of_a_backend(room):
    files = sorted((SOURCE / room).rglob("*.py")) or [SOURCE / f"{room}.py"]
    assert not [file.name for file in files if "sqlite" in file.read_text().lower()]


@pytest.mark.parametrize("path", sorted((SOURCE / "engine").rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_engine_is_pure(path):
    forbidden = {"os", "time", "pathlib", "subprocess", "socket", "random", "secrets"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert not {alias.name.split(".")[0] for alias in node.names} & forbidden
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in forbidden
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("now", "utcnow", "environ")


def test_public_names():
    assert sorted(recollect.__all__) == sorted(
        """
        Access Addition Agent Answer Around AsyncChat AsyncMemory AsyncWatch Branch BudgetTooSmall Change Chat ChatService
        Cited Conflict
        Context Diagnosis Document Draft EraseReceipt ExportReport Fact FactChange Finding Grant Hit Hits ImportReport
        InvalidInput Item LLMError Limits Mark Memory Message NotFound Page Part Period Profile ProfileLine Receipt
        RecollectError Relevant Replay
        RetentionPolicy RetentionReport Role Session Settings Stats Status StorageError Summary Tool ToolCall Usage Watch
        __version__ errors open open_async
        """.split()
    )
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None
    with pytest.raises(AttributeError):
        recollect.nothing_like_it  # noqa: B018


def public_members(cls):
    return {
        name: member
        for name, member in vars(cls).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    }


def test_every_public_name_has_an_example():
    """The examples themselves run as doctests."""
    exempt = {"errors", "__version__", "Conflict", "LLMError", "NotFound", "StorageError"}
    for name in set(recollect.__all__) - exempt:
        assert ">>>" in (getattr(recollect, name).__doc__ or ""), name
    for cls in (recollect.Memory, recollect.Chat, recollect.Watch, recollect.Agent, recollect.ChatService, Drawer):
        for name, member in public_members(cls).items():
            assert ">>>" in (member.__doc__ or ""), f"{cls.__name__}.{name}"


@pytest.mark.parametrize(
    ("sync", "asynchronous", "own"),
    [
        (recollect.Memory, AsyncMemory, {"over"}),
        (recollect.Chat, AsyncChat, set()),
        (recollect.Watch, AsyncWatch, {"over"}),
        (Drawer, AsyncDrawer, set()),
    ],
)
def test_async_has_the_same_verbs(sync, asynchronous, own):
    ours, theirs = public_members(sync), public_members(asynchronous)
    assert theirs.keys() - own == ours.keys()
    for name in theirs.keys() - own:
        if isinstance(ours[name], property):
            assert isinstance(theirs[name], property)
            continue
        assert inspect.iscoroutinefunction(theirs[name]), name
        here, there = inspect.signature(ours[name]), inspect.signature(theirs[name])
        assert list(here.parameters.values()) == list(there.parameters.values()), name


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_import_is_light():
    loaded = run_python("import sys, recollect; print(*sorted(m for m in sys.modules if m.startswith('recollect')))")
    assert loaded == "recollect"


def test_use_loads_nothing_heavy():
    """Opening a store and saving a message needs no numpy, pydantic, HTTP or async library."""
    code = """
import sys, tempfile, recollect
with recollect.open(tempfile.mkdtemp() + "/chat.db") as memory:
    memory.chat(owner="u1").add("user", "hello")
heavy = {"numpy", "pydantic", "requests", "httpx", "urllib3", "http.client", "click", "hypothesis", "pytest", "onnxruntime"}
print(*sorted(heavy & set(sys.modules)))
"""
    assert run_python(code) == ""


def test_saving_waits_for_none_who_understand():
    """What reads questions, takes notes or makes prompts is imported by the worker or by whoever asks, not by who saves."""
    code = """
import sys, tempfile, recollect
with recollect.open(tempfile.mkdtemp() + "/chat.db", background=False) as memory:
    memory.chat(owner="u1").add("user", "I live in Lisbon.")
late = ("recall", "notes", "finder", "composer", "receipts", "factbook", "summaries", "documents", "engine.facts",
        "engine.digest", "engine.query", "engine.rewrite", "engine.title", "engine.redact", "scribes", "llm", "reading")
print(*(name for name in late if f"recollect.{name}" in sys.modules))
"""
    assert run_python(code) == ""


def test_the_worker_imports_what_it_needs_itself():
    code = """
import sys, tempfile, threading, recollect
from importlib import abc
class Spy(abc.MetaPathFinder):
    seen = {}
    def find_spec(self, name, path, target=None):
        self.seen.setdefault(name, threading.current_thread() is threading.main_thread())
sys.meta_path.insert(0, Spy())
with recollect.open(tempfile.mkdtemp() + "/chat.db") as memory:
    chat = memory.chat(owner="u1")
    chat.add("user", "I live in Lisbon.")
    while "recollect.notes" not in sys.modules or not hasattr(sys.modules["recollect.notes"], "NoteTaker"):
        pass
print(*sorted(name for name in ("recollect.notes", "recollect.engine.facts", "numpy") if Spy.seen.get(name)))
"""
    assert run_python(code) == ""


def test_modules_all_import():
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        try:
            importlib.import_module(".".join(parts).removesuffix(".__init__"))
        except ImportError as error:
            # A door whose framework is not installed says so, or is the translator behind one that does.
            is_missing = isinstance(error, MissingExtra) or not str(error.name).startswith("recollect")
            if not is_missing or parts[1] not in ("adapters", "index", "mcp"):
                raise
