"""Foundations that every app uses; imports nothing from the apps."""
