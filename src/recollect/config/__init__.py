"""Settings: one list of knobs, read from arguments, then the environment, then a file, then the defaults.

Every knob has one name. In Python it is the argument `retention_active_days`, in the environment
`RECOLLECT_RETENTION_ACTIVE_DAYS`, in the file `retention_active_days` or a table:

    [retention]
    active_days = 30

The environment and the file are read by `load`, once, when a door opens; nothing is read at import.
"""

from recollect.config.knobs import KNOBS, PREFIX, Knob
from recollect.config.load import Origin, load, origins
from recollect.config.settings import DEFAULTS, FACT_KINDS, PERSONAL, PRESETS, RECALLS, SECRETS, STRATEGIES, Settings

__all__ = [
    "DEFAULTS", "FACT_KINDS", "KNOBS", "PERSONAL", "PREFIX", "PRESETS", "RECALLS", "SECRETS", "STRATEGIES", "Knob", "Origin",
    "Settings", "load", "origins",
]  # fmt: skip
