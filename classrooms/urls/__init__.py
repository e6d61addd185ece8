"""The addresses of pages about people."""
