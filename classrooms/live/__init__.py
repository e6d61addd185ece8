"""Live lessons: a remote for the teacher, a projector for the room, a device for each student."""
