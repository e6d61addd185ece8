"""Benchmarks, each against a baseline measured in the same run: `python -m tools.bench`."""
