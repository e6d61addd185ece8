"""Jobs: work too slow for a request. They're queued, run alongside the site, and each has its own page."""
