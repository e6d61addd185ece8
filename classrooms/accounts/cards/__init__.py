"""What is printed for students: login cards, with their pictures and codes."""
