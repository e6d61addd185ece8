"""Learning on paper: worksheets with their answers, and certificates."""
