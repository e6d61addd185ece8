"""How a class and its students are doing: one function makes the numbers for every page and file."""
