"""The local model: its tokenizer, its file, its embeddings, and its token projection."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import splintr
from hypothesis import given, settings
from hypothesis import strategies as st
from model import pull_model

from keepsaid.embed import embedder_for, is_pulled, local_model_folder, use_network
from keepsaid.embed.encoder import HEADS, onnx_encoder, read_safetensors
from keepsaid.embed.local import LocalEmbedder
from keepsaid.embed.minilm import DIMENSIONS, MAX_TOKENS, Network, load_network, normalize_rows
from keepsaid.embed.model_folder import MODEL_FILE, RECORD_FILE, TOKENIZER_FILE
from keepsaid.embed.projection import TOKEN_WIDTH, load_projection, load_projector
from keepsaid.embed.pull import is_intact, read_record
from keepsaid.embed.weights import ModelWeights, fetch_weights
from keepsaid.embed.wordpiece import WordPieceTokenizer
from keepsaid.errors import ConfigError, EmbedderError, MissingModel

ROOT = Path(__file__).parent.parent

TEXTS = (
    "My sister moved to Lisbon in May.",
    "What should we cook for dinner tonight?",
    "The meeting with the bank is on Thursday at half past nine; bring the signed contract.",
    "I'm so happy, we finally adopted a puppy!!! 🐶",
    "def add(a, b):\n    return a + b",
    "She said that she would rather not talk about it any more, and I think we should respect that.",
    "Yes.",
    "The invoice no. 2024-117 over 1,249.50 € has not been paid yet.",
    "Ich habe gestern meinen Schlüssel im Café verloren.",
    "My doctor told me to take two of these pills a day, one in the morning and one before I go to bed.",
    "We hiked up to the hut in the rain, dried our clothes by the stove and played cards until midnight.",
    "https://example.org/a/b?c=d is where the pictures of the trip are",
)

VARIED = (
    *TEXTS, "", " ", "\t\n\r\x0b\x85\u2028x", "Ünïcödé ÀÉÎ ÿ", "İstanbul ΣΑΣ ﬁne ﬀ Ǆ", "日本語とEnglish混在、漢字",
    "한국어 텍스트", "नमस्ते दुनिया", "สวัสดีชาวโลก", "مرحبا بالعالم", "שלום", "a\u0301e\u0300", "x\u200by\ufeffz",
    "\ufffd\x00ab", "≠ ≮ ; ` ·", "$5+3=8 ^_^ ~`|<>", "don't can't it's", "5€ 3°C ½ ²", "👩‍👩‍👧‍👦 👍🏽", "a" * 100, "a" * 101,
    "é" * 101, "[CLS] [SEP] [MASK] [PAD]",
    "##ing ##", "豈 更", "…—–“”‘’", "word " * 400, "\U0002b820\U0002f800",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder() -> Path:
    return pull_model()


@pytest.fixture(scope="module")
def weights() -> Iterator[ModelWeights]:
    with fetch_weights() as found:
        yield found


@pytest.fixture(scope="module")
def embedder(folder: Path) -> LocalEmbedder:
    return LocalEmbedder(folder)


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> WordPieceTokenizer:
    return WordPieceTokenizer.load(folder / TOKENIZER_FILE)


@pytest.fixture(scope="module")
def reference(folder: Path) -> splintr.AnyTokenizer:
    return splintr.from_json(str(folder / TOKENIZER_FILE))


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


class TestTokenizer:
    @pytest.mark.parametrize("text", VARIED, ids=ascii)
    def test_token_ids_match_splintr(
        self, tokenizer: WordPieceTokenizer, reference: splintr.AnyTokenizer, text: str
    ) -> None:
        assert tokenizer.encode(text, 10_000).ids == reference.encode_ordinary(text)

    def test_token_ids_match_splintr_for_every_character(
        self, tokenizer: WordPieceTokenizer, reference: splintr.AnyTokenizer
    ) -> None:
        """Each character is tested within a word and alone; those newer than this Python's Unicode may differ."""
        import unicodedata

        known = [chr(code) for code in range(0x30000) if unicodedata.category(chr(code)) not in ("Cs", "Cn")]
        texts = [f"ab{character}cd {character}" for character in known]
        wrong = [
            hex(ord(character))
            for character, text, ids in zip(known, texts, reference.encode_batch(texts), strict=True)
            if tokenizer.encode(text).ids != ids
        ]
        # Its category was corrected between two versions of Unicode.
        assert set(wrong) <= {"0x1171e"}

    @settings(max_examples=300, deadline=None)
    @given(text=st.text(st.characters(exclude_categories=("Cs", "Cn"), max_codepoint=0xFFFF), max_size=60))
    def test_spans_are_ordered_and_within_text(self, tokenizer: WordPieceTokenizer, text: str) -> None:
        ids, spans = tokenizer.encode(text)
        assert len(spans) == len(ids) - 2
        for start, end in spans:
            assert 0 <= start < end <= len(text)
        # Only a character that falls apart, such as a Hangul syllable, can belong to two tokens.
        for (_, end), (start, _) in itertools.pairwise(spans):
            assert end - 1 <= start

    def test_spans_slice_the_original_words(self, tokenizer: WordPieceTokenizer) -> None:
        text = "  Ünbelievable, é\u0301t\u200bé — 日本 tokenization!"
        words = [text[slice(*span)] for span in tokenizer.encode(text).spans]
        assert words == ["Ünbelievable", ",", "é\u0301t", "é", "—", "日", "本", "token", "ization", "!"]

    def test_encode_truncates_to_maximum_tokens(self, tokenizer: WordPieceTokenizer) -> None:
        whole = tokenizer.encode("tokenization " * 300, 10_000)
        cut = tokenizer.encode("tokenization " * 300, MAX_TOKENS)
        assert len(cut.ids) == MAX_TOKENS
        assert cut.ids[:-1] == whole.ids[: MAX_TOKENS - 1]
        assert cut.ids[-1] == whole.ids[-1]
        assert len(cut.spans) == MAX_TOKENS - 2

    def test_megabyte_without_space_is_one_unknown_token(self, tokenizer: WordPieceTokenizer) -> None:
        assert tokenizer.encode("QUJD" * 250_000 + " end").ids[1:-1] == tokenizer.encode("a" * 101 + " end").ids[1:-1]


def numpy_states(weights: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """BERT as in the paper, in the plainest numpy: the judge of the ONNX files."""

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def layer_norm(x: np.ndarray, name: str) -> np.ndarray:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * weights[name + ".weight"] + weights[name + ".bias"]

    def heads(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    words = weights["embeddings.word_embeddings.weight"][ids]
    places = weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = layer_norm(words + places + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(6):
        at = f"encoder.layer.{number}."
        query, key, value = (heads(dense(x, f"{at}attention.self.{part}")) for part in ("query", "key", "value"))
        scores = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1]))
        seen = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        x = layer_norm(x + dense(seen, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        wide = dense(x, at + "intermediate.dense")
        wide = wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
        x = layer_norm(x + dense(wide, at + "output.dense"), at + "output.LayerNorm")
    return x


@pytest.fixture(scope="module")
def exact(weights: ModelWeights, tmp_path_factory: pytest.TempPathFactory) -> Network:
    """The network in float32, by the same writer."""
    path = tmp_path_factory.mktemp("exact") / "float32.onnx"
    path.write_bytes(onnx_encoder(read_safetensors(weights.safetensors), quantised=False))
    return load_network(path)


class TestModelFile:
    def test_float32_network_matches_numpy_bert(
        self, exact: Network, weights: ModelWeights, tokenizer: WordPieceTokenizer
    ) -> None:
        tensors = dict(read_safetensors(weights.safetensors))
        for text in TEXTS[:4]:
            ids = tokenizer.encode(text).ids
            assert np.abs(exact(ids) - numpy_states(tensors, ids)).max() < 1e-4

    def test_int8_network_is_close_to_float32(self, exact: Network, folder: Path, tokenizer: WordPieceTokenizer) -> None:
        small = load_network(folder / MODEL_FILE)
        ids = [tokenizer.encode(text).ids for text in TEXTS]
        cosines = [cosine(small(one).mean(0), exact(one).mean(0)) for one in ids]
        assert np.mean(cosines) >= 0.988, cosines
        assert min(cosines) >= 0.97, cosines

    def test_pulled_file_equals_file_built_from_weights(self, weights: ModelWeights, folder: Path) -> None:
        assert onnx_encoder(read_safetensors(weights.safetensors)) == (folder / MODEL_FILE).read_bytes()
        assert (folder / MODEL_FILE).stat().st_size < 24_000_000
        assert is_intact(folder, read_record(folder))
        assert "Apache License" in (folder / "NOTICE").read_text()

    def test_building_network_rejects_weights_of_other_model(self, weights: ModelWeights) -> None:
        tensors = dict(read_safetensors(weights.safetensors))
        del tensors["encoder.layer.3.output.dense.weight"]
        with pytest.raises(EmbedderError, match=r"no encoder\.layer\.3\.output\.dense\.weight"):
            onnx_encoder(tensors)

    def test_read_safetensors_rejects_other_file(self, tmp_path: Path) -> None:
        (tmp_path / "x").write_bytes(b"\xff" * 100)
        with pytest.raises(EmbedderError, match="is not a safetensors file"):
            read_safetensors(tmp_path / "x")


class TestLocalEmbedder:
    def test_embedding_has_unit_vector_and_token_vectors(self, embedder: LocalEmbedder) -> None:
        text = "My sister moved to Lisbon."
        (made,) = embedder.embed([text], asking=True)
        assert np.asarray(made.vector).dtype == np.float32
        assert len(made.vector) == DIMENSIONS + use_network.DIMENSIONS
        assert np.linalg.norm(made.vector) == pytest.approx(1, abs=1e-6)
        assert made.width == TOKEN_WIDTH
        assert [text[slice(*span)] for span in made.spans] == ["My", "sister", "moved", "to", "Lisbon", "."]
        assert len(made.tokens) == 6 * TOKEN_WIDTH
        lengths = np.linalg.norm(np.frombuffer(made.tokens, np.int8).reshape(6, -1).astype(float), axis=1)
        assert np.abs(lengths - 127).max() < 3

    def test_stored_texts_get_no_token_vectors_for_stop_words(self, embedder: LocalEmbedder) -> None:
        text = "My sister moved to Lisbon."
        (said,), (asked,) = embedder.embed([text]), embedder.embed([text], asking=True)
        assert [text[slice(*span)] for span in said.spans] == ["sister", "moved", "Lisbon"]
        rows = [asked.tokens[at * TOKEN_WIDTH : (at + 1) * TOKEN_WIDTH] for at in (1, 2, 4)]
        assert said.tokens == b"".join(rows)
        assert np.array_equal(said.vector, asked.vector)
        (nothing_else,) = embedder.embed(["So it is."])
        assert len(nothing_else.spans) == 4

    def test_related_sentences_have_closer_vectors(self, embedder: LocalEmbedder) -> None:
        question, near, far = embedder.embed(
            ["Where does my sibling live?", "My sister has a flat in Lisbon.", "The printer is out of paper again."]
        )
        assert (
            cosine(np.array(question.vector), np.array(near.vector))
            > cosine(np.array(question.vector), np.array(far.vector)) + 0.2
        )

    def test_token_vectors_differ_by_word_sense(self, embedder: LocalEmbedder) -> None:
        """The vector of a word depends on the words around it."""
        texts = ("The bank raised its rates.", "A bank gave me a loan.", "We sat on the river bank.")
        rates, loan, river = (
            np.frombuffer(made.tokens, np.int8)
            .astype(float)
            .reshape(-1, TOKEN_WIDTH)[[text[slice(*span)] for span in made.spans].index("bank")]
            for text, made in zip(texts, embedder.embed(texts), strict=True)
        )
        assert cosine(rates, loan) > cosine(rates, river) + 0.05

    def test_vector_does_not_depend_on_other_texts_in_batch(self, embedder: LocalEmbedder) -> None:
        together = embedder.embed(TEXTS)
        for text, made in zip(TEXTS, together, strict=True):
            (alone,) = embedder.embed([text])
            assert np.array_equal(alone.vector, made.vector)
            assert alone.tokens == made.tokens

    @pytest.mark.parametrize("text", ["", " \n ", "\u200b", "🫠", "]]] AND NEAR(\x00", "ab " * 40_000, "漢" * 30_000])
    def test_unusual_texts_get_finite_unit_vectors(self, embedder: LocalEmbedder, text: str) -> None:
        (made,) = embedder.embed([text])
        assert np.isfinite(made.vector).all()
        assert np.linalg.norm(made.vector) == pytest.approx(1, abs=1e-6)
        assert len(made.tokens) == TOKEN_WIDTH * len(made.spans) <= TOKEN_WIDTH * (MAX_TOKENS - 2)

    def test_embedding_no_texts_returns_empty_list(self, embedder: LocalEmbedder) -> None:
        assert embedder.embed([]) == []

    def test_token_vectors_can_be_switched_off(self, embedder: LocalEmbedder, folder: Path) -> None:
        plain = LocalEmbedder(folder, token_vectors=False)
        assert plain.name != embedder.name
        (made,), (full,) = plain.embed(["hello"]), embedder.embed(["hello"])
        assert np.array_equal(made.vector, full.vector)
        assert (made.tokens, made.width, made.spans) == (b"", 0, ())

    def test_concurrent_threads_get_equal_embeddings(self, folder: Path, embedder: LocalEmbedder) -> None:
        fresh = LocalEmbedder(folder)
        made: dict[int, object] = {}
        barrier = threading.Barrier(6)

        def work(number: int) -> None:
            barrier.wait()
            made[number] = fresh.embed(TEXTS[:3])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expected = [one.tokens for one in embedder.embed(TEXTS[:3])]
        assert [[one.tokens for one in made[number]] for number in range(6)] == [expected] * 6

    def test_damaged_model_error_names_pull_command(self, folder: Path, tmp_path: Path) -> None:
        shutil.copytree(folder, tmp_path / "copy")
        (tmp_path / "copy" / MODEL_FILE).write_bytes((folder / MODEL_FILE).read_bytes()[:1000])
        with pytest.raises(EmbedderError, match="model pull --force"):
            LocalEmbedder(tmp_path / "copy").embed(["x"])

    def test_missing_model_error_names_pull_command(self, tmp_path: Path) -> None:
        with pytest.raises(MissingModel, match="keepsaid model pull"):
            LocalEmbedder(tmp_path).embed(["x"])


class TestProjection:
    def test_shipped_projection_is_orthonormal(self) -> None:
        centre, axes = load_projection()
        assert centre.shape == (DIMENSIONS,)
        assert axes.shape == (TOKEN_WIDTH, DIMENSIONS)
        assert np.abs(axes @ axes.T - np.eye(TOKEN_WIDTH)).max() < 2e-3
        assert (axes[np.arange(TOKEN_WIDTH), np.abs(axes).argmax(axis=1)] > 0).all()

    def test_int8_rows_are_close_to_exact_projection(self, folder: Path, tokenizer: WordPieceTokenizer) -> None:
        states = load_network(folder / MODEL_FILE)(tokenizer.encode(TEXTS[2]).ids)[1:-1]
        centre, axes = load_projection()
        exact = normalize_rows((normalize_rows(states) - centre) @ axes.T)
        rows = np.frombuffer(load_projector()(states), np.int8).reshape(len(states), -1).astype(float)
        assert min(map(cosine, rows, exact)) > 0.999
        # 128 of 384 axes must keep most of how the tokens of a text resemble each other.
        whole = normalize_rows(normalize_rows(states) - centre)
        assert np.corrcoef((whole @ whole.T).ravel(), (exact @ exact.T).ravel())[0, 1] > 0.95

    def test_fitting_projection_is_repeatable(self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        script = docs_script("make_projection")
        monkeypatch.setattr(script, "local_model_folder", lambda: folder)
        (tmp_path / "text").write_text("\n%\n".join(TEXTS * 12))
        (tmp_path / "other.txt").write_text("\n\n".join(TEXTS * 8))
        (tmp_path / "text.dat").write_bytes(bytes(range(256)))
        texts = list(script.entries(tmp_path))
        assert len(texts) == 36 + 24
        one, count = script.fit(iter(texts))
        other, _ = script.fit(iter(texts))
        assert one.shape == (TOKEN_WIDTH + 1, DIMENSIONS)
        assert one.dtype == np.float16
        assert count > DIMENSIONS
        assert np.array_equal(one, other)

    def test_projection_file_is_in_wheel(self, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
            content = wheel.read("keepsaid/embed/projection.npy")
        assert content == (ROOT / "src" / "keepsaid" / "embed" / "projection.npy").read_bytes()


def docs_script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestEmbedderFor:
    def test_local_spec_makes_local_embedder(self, folder: Path) -> None:
        made = embedder_for("local", folder=folder)
        assert made.name == LocalEmbedder(folder).name
        assert embedder_for("local", folder=folder, token_vectors=False).name != made.name

    def test_local_spec_without_model_raises_missing_model(self, tmp_path: Path) -> None:
        with pytest.raises(MissingModel, match="keepsaid model pull"):
            embedder_for("local", folder=tmp_path)

    @pytest.mark.parametrize("spec", ["", "Local", "local:other", "openai", "openai:", "ollama:", "nonsense:x", ":x"])
    def test_unknown_spec_raises_config_error(self, spec: str) -> None:
        with pytest.raises(ConfigError, match="there is no embedder"):
            embedder_for(spec)

    def test_specs_of_other_backends_make_named_embedders(self) -> None:
        assert embedder_for("openai:m", base_url="http://localhost:1/v1").name == "openai:m"
        assert embedder_for("ollama:m:latest").name == "ollama:m:latest"
        assert embedder_for("sentence-transformers:org/m").name == "sentence-transformers:org/m"

    @pytest.mark.parametrize("missing", [RECORD_FILE, MODEL_FILE, TOKENIZER_FILE])
    def test_is_pulled_requires_every_file(self, folder: Path, tmp_path: Path, missing: str) -> None:
        copy = local_model_folder(tmp_path)
        shutil.copytree(folder, copy)
        assert is_pulled(copy)
        (copy / missing).unlink()
        assert not is_pulled(copy)

    def test_embedder_for_imports_no_heavy_modules(self) -> None:
        code = """
import sys, json
from keepsaid.embed import embedder_for, is_pulled
is_pulled()
embedder_for("sentence-transformers:x")
print(json.dumps(sorted({"numpy", "onnxruntime", "urllib.request", "http.client", "splintr"} & set(sys.modules))))
"""
        run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        assert json.loads(run.stdout) == []
