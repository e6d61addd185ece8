"""Exercises of a wanted kind, difficulty and focus, made from a seed. Pure: no Django, no clock, no shared random."""

from lessons.exercises.exercise import BadWanted, Exercise, features_in_play
from lessons.exercises.make import contrast_pair, fresh_exercise, make_exercise

__all__ = ["BadWanted", "Exercise", "contrast_pair", "features_in_play", "fresh_exercise", "make_exercise"]
