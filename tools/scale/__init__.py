"""The site with everything that a district runs it on, on one machine: to try it out, to test it, to measure it."""
