"""Lists of students as schools send them, and what becomes of each."""
