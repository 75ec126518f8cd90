"""Benchmarks: how fast the store is, against a hand-written one on the same machine in the same run."""
