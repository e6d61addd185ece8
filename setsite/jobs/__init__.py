"""Work that should not keep a person waiting: asked for at the desk, run beside the site, seen on a page of its own."""
