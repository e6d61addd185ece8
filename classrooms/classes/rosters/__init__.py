"""Rosters: reading lists of students, showing what they would change, and writing them."""
