"""Access control: host names, credentials, scopes and rate limits."""
