"""Work that should not keep a person waiting: queued, run beside the site, seen on a page of its own."""
