"""The load of real matches and lessons, by people who pause as people do: `python -m tools.load`."""
