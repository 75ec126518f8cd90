"""`python -m benchmarks notes`: recall and precision of the facts on labelled sentences."""

import hashlib
import json

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import bench
from benchmarks.notes import note_fit, note_labels, notes
from keepsaid.engine.facts.note_model import LinearModel
from keepsaid.engine.facts.sentence_features import extract_features, trim_sentence_at
from keepsaid.errors import InvalidInput

TALK = "I'm a nurse. Thanks for the tip! I usually take the bus to my job. My bike is blue today."
WORTH = {"I'm a nurse.": "identity", "I usually take the bus to my job.": "preference"}


@pytest.fixture
def folders(tmp_path):
    """Labels of one message of LongMemEval and of three sentences of our own."""
    labels, data = tmp_path / "labels", tmp_path / "data"
    (labels / "own").mkdir(parents=True)
    data.mkdir()
    session = [{"role": "user", "content": TALK}, {"role": "assistant", "content": "I live in Porto."}]
    sample = {
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/04/10 (Mon) 23:07"],
        "haystack_sessions": [session],
    }
    (data / "longmemeval_oracle.json").write_text(json.dumps([sample]))
    sentences = ("I'm a nurse.", "Thanks for the tip!", "I usually take the bus to my job.")
    lines = [json.dumps(label(sentence, TALK.index(sentence))) for sentence in sentences]
    (labels / "labels.jsonl").write_text("\n".join(lines))
    own = [
        {"text": "Call me Sue.", "note": True, "kind": "instruction"},
        {"text": "Ich bin müde.", "note": True, "kind": "event"},
    ]
    none = [{"text": "Call me tomorrow.", "note": False, "kind": "none"}]
    (labels / "own" / "xx.json").write_text(json.dumps({"language": "xx", "tune": own, "report": none}))
    return labels, data


def label(sentence, start):
    kind = WORTH.get(sentence)
    return {
        "set": "longmemeval", "session": "s1", "message": 0, "start": start, "end": start + len(sentence),
        "sha256": hashlib.sha256(sentence.encode()).hexdigest()[:16], "half": "tune", "note": kind is not None,
        **({"kind": kind} if kind else {}), "borderline": sentence.startswith("I usually"),
    }  # fmt: skip


def test_run_reports_figures_by_set_and_half(folders):
    rows = {(row["set"], row["half"], row["borderline"]): row for row in notes.run(*folders)}
    every, firm = rows["longmemeval", "tune", "with"], rows["longmemeval", "tune", "without"]
    assert (every["recall"], every["precision"], every["kind_agrees"]) == (100.0, 100.0, 100.0)
    assert every["recall_by_kind"] == {"identity": "1/1", "preference": "1/1"}
    assert firm["sentences_worth_a_note"] == 1
    assert rows["own/xx", "tune", "with"]["recall"] == 50.0
    assert rows["own/xx", "report", "with"]["recall"] is None


def test_read_labels_rejects_changed_source_text(folders):
    labels, data = folders
    path = data / "longmemeval_oracle.json"
    path.write_text(path.read_text().replace("nurse", "baker"))
    with pytest.raises(InvalidInput):
        note_labels.read_labels(labels, data)


def test_notes_command_prints_table_and_json(folders):
    labels, data = map(str, folders)
    table = CliRunner().invoke(bench, ["notes", labels, data])
    assert table.exit_code == 0, table.output
    assert "precision" in table.output
    printed = CliRunner().invoke(bench, ["notes", labels, "--json"])
    assert {row["set"] for row in json.loads(printed.output)["rows"]} == {"own", "own/xx"}
    assert CliRunner().invoke(bench, ["notes", labels, "--fit", "x.py"]).exit_code == 2


def sentences(*texts, note, kind=""):
    return [note_labels._own_sentence({"text": text, "note": note, "kind": kind}, "own/en", "tune") for text in texts]


def test_fitted_model_separates_kinds_and_round_trips_as_source():
    habits = sentences(*(f"I fetch bread at {hour}" for hour in range(24)), note=True, kind="preference")
    things = sentences(*(f"I inherited a boat at {age}" for age in range(24)), note=True, kind="possession")
    passing = sentences(*(f"I sneezed badly at {hour}" for hour in range(24)), note=False)
    model = note_fit.fit([*habits, *things, *passing])
    assert model.worth.weights["sneezed"] < 0
    bread = extract_features(trim_sentence_at("I fetch bread at noon", 0, 21))
    assert model.kinds["preference"].score(bread) > model.kinds["possession"].score(bread)
    written = {}
    exec(note_fit.source_of(model), written)
    assert LinearModel.parse(*written["WORTH"]).weights.items() <= model.worth.weights.items()
    assert {kind: LinearModel.parse(*one) for kind, one in written["KINDS"].items()} == model.kinds


def test_fit_command_writes_weights(folders, tmp_path):
    labels, data = map(str, folders)
    result = CliRunner().invoke(bench, ["notes", labels, data, "--fit", str(tmp_path / "weights.py")])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["cross_validated"]
    assert "WORTH" in (tmp_path / "weights.py").read_text()


def test_cross_validation_gives_figures_for_every_threshold(folders):
    rows = note_fit.cross_validate(note_labels.read_labels(*folders))
    assert [row.threshold for row in rows] == list(note_fit.THRESHOLDS)
    assert rows[0].recall == rows[0].precision == 100.0
    assert rows[0].firm_recall == rows[-1].firm_recall == 100.0
