"""What every app needs and none owns; imports nothing from the apps."""
