"""An embedder from any function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from keepsaid.embed.checks import unit_vectors
from keepsaid.errors import ConfigError, EmbedderError
from keepsaid.ports import Embedding

Function = Callable[[Sequence[str]], Sequence[Sequence[float]]]


class CallableEmbedder:
    """Embeds with a function from texts to vectors. Change its name whenever its vectors change.

    `for_questions` is for models that encode questions differently from messages.

    >>> embedder = CallableEmbedder("toy/1", lambda texts: [[text.count("a"), text.count("b")] for text in texts])
    >>> [round(float(x), 2) for x in embedder.embed(["aab"])[0].vector]
    [0.89, 0.45]
    """

    def __init__(self, name: str, function: Function, for_questions: Function | None = None) -> None:
        if not name:
            raise ConfigError("an embedder needs a name: it identifies its vectors")
        self.name = name
        self._function = function
        self._for_questions = for_questions or function

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> list[Embedding]:
        """Return one embedding for each text."""
        if not texts:
            return []
        function = self._for_questions if asking else self._function
        try:
            vectors = function(texts)
        except EmbedderError:
            raise
        except Exception as error:  # the function may raise anything; callers expect one class
            raise EmbedderError(f"{self.name} failed: {type(error).__name__}: {error}") from error
        return [Embedding(cast("Sequence[float]", row)) for row in unit_vectors(vectors, len(texts), maker=self.name)]
