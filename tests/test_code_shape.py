"""The code stays readable: the limits of scripts/measure_code.py hold, and the former name is gone."""

import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FIGURES = runpy.run_path(str(ROOT / "scripts" / "measure_code.py"))["figures"]()
FORMER_NAME = "recol" + "lect"


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_code_keeps_its_limits(figure):
    assert figure.value <= figure.limit, figure.worst


def test_former_name_is_only_in_the_changelog():
    found = subprocess.run(["git", "grep", "-il", FORMER_NAME], cwd=ROOT, capture_output=True, text=True)
    assert found.stdout.split() == ["CHANGELOG.md"]
