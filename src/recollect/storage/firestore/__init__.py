"""Firestore as a ledger: conversations are documents that an existing app can read, and that can be adopted from it."""
