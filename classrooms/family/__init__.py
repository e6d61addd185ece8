"""What guardians have: codes, the child's page in plain words, the weekly letter."""
