"""Settings: one list, read from arguments, then the environment, then a file, then the defaults.

Every setting has one name. In Python it is the argument `retention_active_days`, in the environment
`KEEPSAID_RETENTION_ACTIVE_DAYS`, in the file `retention_active_days` or a table:

    [retention]
    active_days = 30

`load` reads the environment and the file once, when a memory is opened; nothing is read at import.
"""

from keepsaid.config.load import Origin, load, origins
from keepsaid.config.setting_list import PREFIX, SETTINGS, SettingDefinition
from keepsaid.config.settings import DEFAULTS, FACT_KINDS, PERSONAL, PRESETS, RECALLS, SECRETS, STRATEGIES, Settings

__all__ = [
    "DEFAULTS", "FACT_KINDS", "PERSONAL", "PREFIX", "PRESETS", "RECALLS", "SECRETS", "SETTINGS", "STRATEGIES", "Origin",
    "SettingDefinition", "Settings", "load", "origins",
]  # fmt: skip
