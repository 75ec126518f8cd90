"""Puts the page into the wheel. An installed one needs no Node; one that is built without Node has no page, and says so."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the page before a wheel or source distribution, unless that was done."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        page = root / "src" / "keepsaid" / "server" / "page" / "index.html"
        recipe = root / "web" / "build.py"
        if version == "editable" or page.exists() or not recipe.exists():
            return
        spec = importlib.util.spec_from_file_location("build_page", recipe)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        try:
            module.build(check=False)
        except (SystemExit, subprocess.CalledProcessError, OSError) as error:
            self.app.display_warning(f"Built without the page: {error}")
