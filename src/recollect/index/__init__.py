"""Indexes by meaning."""
