"""Tags for pages about people."""
