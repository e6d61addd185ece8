"""Reports on classes and their students: one function computes the numbers for every page and file."""
