"""From a change to every screen that shows it: one hub, one bus, one kind of stream, and a topic type for each use."""
