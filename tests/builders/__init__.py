"""Data that several suites need: people, lessons, cards, and what a page says."""
