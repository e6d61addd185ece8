"""Push each change to every screen that shows it: a hub, a bus, event streams, and a topic type for each use."""
