"""Writes docs/configuration.md from the list of knobs: `make docs`. A test fails when the two differ."""

from pathlib import Path

from recollect.config import KNOBS, Settings

TARGET = Path(__file__).with_name("configuration.md")


def page() -> str:
    defaults = Settings()
    rows = [
        f"| `{knob.name}` | `{knob.variable}` | {default} | {knob.help} | {knob.also_known_as} |"
        for knob in KNOBS
        for default in [_shown(getattr(defaults, knob.name))]
    ]
    return f"""# Configuration

Made by `make docs` from the list of knobs in `src/recollect/config.py`; do not edit.

Every knob has one name. It is an argument of `recollect.open`, a variable of the environment, and a key of a TOML, YAML or
JSON file named by `config=` or `RECOLLECT_CONFIG`; there, a table may stand for the first part of the name (`[retention]`,
`active_days = 30`). Arguments win over the environment, which wins over the file, which wins over the default.

| name | environment | default | meaning | known elsewhere as |
|---|---|---|---|---|
{chr(10).join(rows)}
"""


def _shown(value: object) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
