"""A Firestore emulator for tests: the npm package `@firestore-emulator/server`, in a process of its own.

It is kept in a cache folder between runs. It is simpler than the service: writes of one request are applied one after the
other, a condition on the time of a document is not looked at, and neither are `start_after` and collection groups.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

VERSION = "0.3.15"
PATIENCE = 120

PROGRAM = """
// Unlike the service, the emulator's decoder takes a byte order mark off the beginning of a text.
const Decoder = globalThis.TextDecoder;
globalThis.TextDecoder = class extends Decoder {
  constructor(label, options) { super(label, { ...options, ignoreBOM: true }); }
};
const { FirestoreServer } = require("@firestore-emulator/server");
const emulator = new FirestoreServer();
emulator.server.options = { ...emulator.server.options, "grpc.max_receive_message_length": 64 << 20 };
const { Server } = require("net");
const probe = new Server();
probe.listen(0, "127.0.0.1", () => {
  const { port } = probe.address();
  probe.close(() => emulator.start(port).then(() => console.log(port)));
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
"""


@cache
def find_emulator() -> Path | None:
    """The folder with the emulator, fetched once; None where there is no npm, or no network."""
    folder = Path(tempfile.gettempdir()) / f"keepsaid-firestore-emulator-{VERSION}-{os.getuid()}"
    if (folder / "program.cjs").exists():
        return folder
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return None
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="keepsaid-npm-") as temporary:
        made = Path(temporary) / "made"
        made.mkdir()
        (made / "package.json").write_text(json.dumps({"private": True}))
        environment = {**os.environ, "npm_config_cache": str(Path(temporary) / "cache"), "npm_config_fetch_retries": "1"}
        command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", f"@firestore-emulator/server@{VERSION}"]
        try:
            subprocess.run(command, cwd=made, env=environment, capture_output=True, check=True, timeout=PATIENCE)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return None
        (made / "program.cjs").write_text(PROGRAM)
        try:
            made.rename(folder)
        except OSError:
            assert (folder / "program.cjs").exists(), "somebody else fetched it at the same time"
    return folder


@contextmanager
def firestore_server() -> Iterator[str]:
    """An empty emulator; its host and port."""
    folder = find_emulator()
    if folder is None:
        if "KEEPSAID_CI" in os.environ:
            pytest.fail("the Firestore emulator could not be fetched with npm")
        pytest.skip("needs npm, and once a network, for the Firestore emulator")
    command = ["node", "program.cjs"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield f"127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()
