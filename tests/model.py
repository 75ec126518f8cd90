"""The local models for tests: pulled once into the user's own cache, not into the empty home that each test gets."""

from pathlib import Path

from keepsaid.embed import local_model_folder
from keepsaid.embed.pull_models import pull_models

# Worked out when tests are collected, before any test changes the environment.
FOLDER = local_model_folder()


def pull_model() -> Path:
    """The folder of the models; fetched if they are not there, which takes some seconds."""
    assert not (problem := pull_models(FOLDER).problem), problem
    return FOLDER
