"""Lists of students: reading them, showing what they would change, writing them."""
