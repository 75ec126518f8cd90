"""Benchmarks: speed against hand-written baselines on the same machine, and how much searches and prompts find."""
