"""How fast it is, always beside a baseline measured in the same run: `python -m tools.bench`."""
