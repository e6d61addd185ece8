"""Printed material for learning: worksheets with their answers, and certificates."""
