"""The hall of the site: settings, addresses and the way in."""
