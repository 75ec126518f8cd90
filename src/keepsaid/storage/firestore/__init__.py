"""Firestore as a ledger: conversations are documents that an existing app can read, and its own ones can be adopted."""
