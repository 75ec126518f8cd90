"""Conversations in and out: our own export, and those of the programs that people come from."""
