"""Printed login cards for students, with their pictures and codes."""
