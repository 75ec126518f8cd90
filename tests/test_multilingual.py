"""USE-multilingual v3: its tokenizer, its network, and the embedder that joins it with all-MiniLM-L6-v2."""

from __future__ import annotations

import itertools
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from model import pull_model

import keepsaid
from keepsaid.embed import embedder_for, is_multilingual_pulled
from keepsaid.embed.local import ENGLISH_SHARE, OTHER_SHARE, LocalEmbedder
from keepsaid.embed.model_folder import (
    EMBEDDINGS_FILE,
    MINILM_NAME,
    MODEL_FILE,
    MULTILINGUAL_NAME,
    PIECES_FILE,
    RECORD_FILE,
    multilingual_folder,
)
from keepsaid.embed.published import USE_MULTILINGUAL, WEIGHTS
from keepsaid.embed.sentencepiece_file import read_pieces
from keepsaid.embed.unigram import END, START, UNKNOWN
from keepsaid.embed.use_multilingual import DIMENSIONS, MAX_PIECES, UseMultilingual
from keepsaid.embed.use_network import WINDOWS, onnx_network
from keepsaid.embed.weights import ModelWeights, fetch_weights
from keepsaid.errors import EmbedderError, MissingModel

# What sentencepiece 0.2.3 makes of them with the published sp.model.
PIECES_OF = {
    "My sister moved to Lisbon in May.": "▁My ▁sister ▁moved ▁to ▁Lisbon ▁in ▁May .",
    "Ich habe gestern meinen Schlüssel im Café verloren.":
        "▁Ich ▁habe ▁ge stern ▁ meinen ▁Schlüssel ▁im ▁Café ▁verloren .",
    "¿Dónde vive mi hermana ahora?": "▁¿ D ónde ▁vive ▁mi ▁hermana ▁ahora ?",
    "Moja siostra mieszka w Łodzi od maja.": "▁Mo ja ▁si o stra ▁mieszka ▁w ▁Łodzi ▁od ▁maja .",
    "Kız kardeşim mayısta İzmir'e taşındı.": "▁Kız ▁kardeşi m ▁ mayı sta ▁İzmir ' e ▁taşındı .",
    "Моя сестра переехала в Казань.": "▁Мо я ▁сестра ▁переехал а ▁в ▁Казан ь .",
    "انتقلت أختي إلى القاهرة في مايو.": "▁انتقل ت ▁أخ تي ▁إلى ▁القاهرة ▁في ▁مايو .",
    "妹は五月に大阪へ引っ越しました。": "▁ 妹 は 五月 に 大阪 へ 引 っ 越 し ました 。",
    "我对花生过敏，不喜欢辣的食物。": "▁我 对 花 生 过 敏 , 不 喜欢 辣 的 食物 。",
    "我住在臺北，喜歡喝珍珠奶茶。": "▁我 住在 臺北 , 喜歡 喝 珍 珠 奶 茶 。",
    "내 여동생은 오월에 부산으로 이사했어요.": "▁내 ▁여 동 생 은 ▁오 월에 ▁부산 으로 ▁이사 했 어 요 .",
    "ฉันแพ้ถั่วและอยู่เชียงใหม่": "▁ ฉัน แพ้ ถั่ว และ อยู่ เชียงใหม่",
    "Ｆｕｌｌ ｗｉｄｔｈ  ﬁ ½\n™": "▁Full ▁width ▁fi ▁1⁄2 ▁TM",
    "cafe\u0301 x\u200by": "▁café ▁x ▁y",
    "👩\u200d👩\u200d👧 ok 👍🏽": "▁ <unk> ▁ok ▁ <unk>",
    "<s> is no mark </s>": "▁< s > ▁is ▁no ▁mark ▁</ s >",
    "a▁b": "▁a ▁b",
    "": "",
}  # fmt: skip

SAME = (
    "My sister lives in Lisbon and works as a nurse.",
    "Meine Schwester lebt in Lissabon und arbeitet als Krankenschwester.",
    "我姐姐住在里斯本，是一名护士。",
    "أختي تعيش في لشبونة وتعمل ممرضة.",
    "Моя сестра живёт в Лиссабоне и работает медсестрой.",
    "妹はリスボンに住んでいて、看護師をしています。",
)
OTHER = "The printer in the office is out of paper again."


@pytest.fixture(scope="module")
def folder() -> Path:
    return pull_model()


@pytest.fixture(scope="module")
def model(folder: Path) -> UseMultilingual:
    return UseMultilingual.load(folder)


@pytest.fixture(scope="module")
def weights() -> Iterator[ModelWeights]:
    with fetch_weights(model=USE_MULTILINGUAL) as found:
        yield found


class TestTokenizer:
    @pytest.mark.parametrize("text", PIECES_OF, ids=ascii)
    def test_pieces_match_sentencepiece(self, model: UseMultilingual, folder: Path, text: str) -> None:
        pieces = (multilingual_folder(folder) / PIECES_FILE).read_text(encoding="utf-8").split("\n")
        ids = model.tokenizer.encode(text)
        assert (ids[0], ids[-1]) == (START, END)
        assert " ".join("<unk>" if id == UNKNOWN else pieces[id] for id in ids[1:-1]) == PIECES_OF[text]

    def test_ids_are_positions_in_published_vocabulary(self, model: UseMultilingual, weights: ModelWeights) -> None:
        published = read_pieces((weights.folder / "sp.model").read_bytes())
        assert len(published) == 128_000
        ids = model.tokenizer.encode("My sister moved to Lisbon in May.")
        assert [published[id].text for id in ids] == ["<s>", *"▁My ▁sister ▁moved ▁to ▁Lisbon ▁in ▁May .".split(), "</s>"]

    def test_encode_truncates_to_limit(self, model: UseMultilingual) -> None:
        whole = model.tokenizer.encode("My sister moved to Lisbon in May. " * 10)
        assert model.tokenizer.encode("My sister moved to Lisbon in May. " * 10, 30) == [*whole[:29], END]

    def test_read_pieces_rejects_other_file(self) -> None:
        with pytest.raises(EmbedderError, match="not a SentencePiece model"):
            read_pieces(b"\xff" * 100)


def numpy_vector(weights: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """The network in the plainest numpy: the judge of the ONNX file."""

    def layer_norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12) * gain + bias

    def relu(x: np.ndarray) -> np.ndarray:
        return np.maximum(x, 0)

    def joined(name: str) -> np.ndarray:
        return np.concatenate([weights[f"{name}{size}"] for size, _ in WINDOWS], axis=-1)

    def convolve(x: np.ndarray, layer: int, size: int, before: int) -> np.ndarray:
        padded = np.pad(x, ((before, size - 1 - before), (0, 0)))
        rows = [padded[at : at + size].reshape(-1) for at in range(len(x))]
        return x + relu(np.array(rows) @ weights[f"w{layer}_{size}"] + weights[f"b{layer}_{size}"])

    rows = [weights[f"q{id % 17 + 1}"][id // 17] * weights["scale"][id % 17] + weights["lo"][id % 17] for id in ids]
    embedded = np.array(rows)
    start = layer_norm(embedded @ joined("proj") + joined("proj_b"), joined("ln_g"), joined("ln_b"))
    branches = [
        convolve(convolve(start[:, 256 * at : 256 * (at + 1)], 1, *window), 2, *window) for at, window in enumerate(WINDOWS)
    ]
    features = layer_norm(np.concatenate([embedded, *branches], axis=1), weights["ln_g"], weights["ln_b"])
    pooled = (features @ weights["cnn_W"] + weights["cnn_b"]).sum(0) / np.sqrt(len(ids))
    second = relu(pooled @ weights["p1"] + relu(pooled @ weights["d0"]) @ weights["d1"])
    last = np.tanh(second @ weights["p3"] + relu(second @ weights["d2"]) @ weights["d3"])
    return last / np.linalg.norm(last)


class TestNetwork:
    def test_network_matches_published_weights_in_numpy(self, model: UseMultilingual, weights: ModelWeights) -> None:
        with np.load(weights.folder / WEIGHTS) as arrays:
            tensors = dict(arrays)
        for text in (*itertools.islice(PIECES_OF, 9), "", " ".join(SAME)):
            ids = model.tokenizer.encode(text)
            assert model.network(ids) @ numpy_vector(tensors, ids) > 1 - 1e-5

    @pytest.mark.parametrize("text", ["", " \n ", "\u200b", "🫠", "x", "ab " * 40_000, "漢" * 30_000, "a" * 100_000])
    def test_any_text_gets_unit_vector(self, model: UseMultilingual, text: str) -> None:
        made = model.vector(text)
        assert made.shape == (DIMENSIONS,)
        assert made.dtype == np.float32
        assert np.linalg.norm(made) == pytest.approx(1, abs=1e-5)

    def test_long_text_is_truncated(self, model: UseMultilingual) -> None:
        text = "My sister moved to Lisbon in May. " * 400
        assert len(model.tokenizer.encode(text)) > MAX_PIECES
        assert np.array_equal(model.vector(text), model.vector(text + "And then?"))

    def test_translations_have_near_vectors(self, model: UseMultilingual) -> None:
        other = model.vector(OTHER)
        for one, two in itertools.combinations(map(model.vector, SAME), 2):
            assert one @ two > 0.5
            assert one @ two > one @ other + 0.3

    def test_building_network_rejects_weights_of_other_model(self) -> None:
        with pytest.raises(EmbedderError, match="not of USE-multilingual v3"):
            onnx_network({})


class TestJoinedEmbedder:
    def test_vector_joins_both_models_by_language(self, folder: Path, model: UseMultilingual) -> None:
        both, alone = LocalEmbedder(folder), LocalEmbedder(folder, multilingual=False)
        (one, two), (first, second) = both.embed(SAME[:2]), alone.embed(SAME[:2])
        assert len(one.vector) == 384 + DIMENSIONS
        assert np.asarray(one.vector).dtype == np.float32
        assert np.linalg.norm(one.vector) == pytest.approx(1, abs=1e-6)
        cosines = np.dot(first.vector, second.vector), model.vector(SAME[0]) @ model.vector(SAME[1])
        # One text is English, the other German: each model's part is the root of its shares for both.
        shares = math.sqrt(ENGLISH_SHARE * OTHER_SHARE), math.sqrt((1 - ENGLISH_SHARE) * (1 - OTHER_SHARE))
        assert np.dot(one.vector, two.vector) == pytest.approx(np.dot(shares, cosines), abs=1e-5)
        assert (one.tokens, one.width, one.spans) == (first.tokens, first.width, first.spans)

    def test_embedder_name_lists_its_models(self, folder: Path) -> None:
        both, alone = embedder_for("local", folder=folder), embedder_for(f"local:{MINILM_NAME}", folder=folder)
        assert both.name == f"local:{MINILM_NAME}+{MULTILINGUAL_NAME}/1.1+tokens2"
        assert alone.name == f"local:{MINILM_NAME}/1+tokens2"
        assert len(alone.embed(["x"])[0].vector) == 384
        assert embedder_for(f"local:{MINILM_NAME}+{MULTILINGUAL_NAME}", folder=folder).name == both.name

    def test_minilm_works_alone_under_its_own_name(self, folder: Path, tmp_path: Path) -> None:
        copy = minilm_alone(folder, tmp_path / "copy")
        alone = embedder_for("local", folder=copy)
        assert alone.name == f"local:{MINILM_NAME}/1+tokens2"
        assert len(alone.embed(["x"])[0].vector) == 384
        with pytest.raises(MissingModel, match=r"no multilingual model in .* `keepsaid model pull`"):
            embedder_for(f"local:{MINILM_NAME}+{MULTILINGUAL_NAME}", folder=copy)

    @pytest.mark.parametrize("missing", [RECORD_FILE, MODEL_FILE, EMBEDDINGS_FILE, PIECES_FILE])
    def test_is_multilingual_pulled_requires_every_file(self, folder: Path, tmp_path: Path, missing: str) -> None:
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        assert is_multilingual_pulled(copy)
        (multilingual_folder(copy) / missing).unlink()
        assert not is_multilingual_pulled(copy)
        with pytest.raises(MissingModel, match="keepsaid model pull"):
            LocalEmbedder(copy, multilingual=True).embed(["x"])

    @pytest.mark.parametrize("name", [MODEL_FILE, EMBEDDINGS_FILE, PIECES_FILE])
    def test_damaged_model_error_names_pull_command(self, folder: Path, tmp_path: Path, name: str) -> None:
        shutil.copytree(folder, tmp_path / "copy")
        path = multilingual_folder(tmp_path / "copy") / name
        path.write_bytes(path.read_bytes()[:50])
        with pytest.raises(EmbedderError, match="model pull --force"):
            LocalEmbedder(tmp_path / "copy").embed(["x"])

    def test_embedder_for_loads_no_model_before_first_embed(self, folder: Path) -> None:
        code = """
import sys, json
from pathlib import Path
from keepsaid.embed import embedder_for
embedder = embedder_for("local", folder=Path(sys.argv[1]))
print(json.dumps([embedder.name, sorted({"numpy", "onnxruntime", "keepsaid.embed.use_multilingual"} & set(sys.modules))]))
"""
        run = subprocess.run([sys.executable, "-c", code, str(folder)], check=True, capture_output=True, text=True)
        assert json.loads(run.stdout) == [LocalEmbedder(folder).name, []]


def minilm_alone(folder: Path, copy: Path) -> Path:
    shutil.copytree(folder, copy)
    shutil.rmtree(multilingual_folder(copy))
    return copy


class TestUpgrade:
    def test_minilm_vectors_serve_until_joined_ones_are_complete(self, folder: Path, tmp_path: Path) -> None:
        store, old = tmp_path / "chat.db", minilm_alone(folder, tmp_path / "old")
        with keepsaid.open(store, model_folder=str(old), background=False) as memory:
            memory.chat(owner="u1", create=True).add("user", SAME[1])
            memory.chat(owner="u1", create=True).add("user", OTHER)
            memory.maintain()
        with keepsaid.open(store, model_folder=str(folder), background=False) as memory:
            assert waiting(memory) == 2
            hits = memory.search("Is there paper for printing?", owner="u1", mode="meaning")
            assert (hits[0].message.text, hits.fallbacks) == (OTHER, ())
            assert memory.maintain() == 2
            assert waiting(memory) == 0
            hits = memory.search("Is there paper for printing?", owner="u1", mode="meaning")
            assert (hits[0].message.text, hits.fallbacks) == (OTHER, ())
        with keepsaid.open(store, model_folder=str(old), background=False) as memory:
            assert waiting(memory) == 2, "vectors of both models are not compared with those of one"


def waiting(memory: keepsaid.Memory) -> int:
    coverage = memory.coverage()
    assert coverage is not None
    return coverage.messages - coverage.embedded


class TestCrossLanguageSearch:
    """Messages in one language, questions in another: only the multilingual model can compare them."""

    @pytest.fixture(scope="class")
    @staticmethod
    def told(folder: Path) -> Iterator[keepsaid.Memory]:
        embedder = LocalEmbedder(folder)
        with keepsaid.open("memory://", embedder=embedder, background=False) as memory:
            for text in (
                "My brother Tom lives in Oslo and works for Equinor.",
                "Meine Mutter hat am 12. Mai Geburtstag, sie liebt Orchideen.",
                "Mon rendez-vous chez le dentiste est le 4 décembre à 10h.",
                "妹は京都の大学に通っています。",
                "Ich trinke keinen Kaffee mehr, nur noch Tee.",
                "I drive a 2015 Golf diesel.",
            ):
                memory.chat(owner="u1").add("user", text)
            memory.maintain()
            yield memory

    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            ("Wo wohnt mein Bruder?", "Oslo"),
            ("When is my dentist appointment?", "dentiste"),
            ("where does my sister study?", "京都"),
            ("¿Qué coche tengo?", "Golf"),
            ("what is my mother's birthday?", "Mutter"),
        ],
    )
    def test_best_hit_is_in_another_language(self, told: keepsaid.Memory, asked: str, found: str) -> None:
        assert found in told.search(asked, owner="u1", plain=True)[0].message.text
