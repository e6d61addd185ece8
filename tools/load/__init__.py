"""Load tests with matches and lessons played at human pace: `python -m tools.load`."""
