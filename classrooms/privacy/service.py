"""Exporting and deleting people's data: by those entitled to it, and by the site itself when the time is up."""

from classrooms.privacy.deleting import (
    Gone,
    StillTeaching,
    TooLate,
    delete_adult,
    delete_child,
    delete_class,
    gone_things,
    left_alone,
    only_in,
    undo_adult,
    undo_child,
    undo_class,
)
from classrooms.privacy.exporting import export_child, export_class, export_guardian
from classrooms.privacy.purging import archive_idle_classes, forget_codes, keep_promises, purge, purge_guests

__all__ = [
    "Gone",
    "StillTeaching",
    "TooLate",
    "archive_idle_classes",
    "delete_adult",
    "delete_child",
    "delete_class",
    "export_child",
    "export_class",
    "export_guardian",
    "forget_codes",
    "gone_things",
    "keep_promises",
    "left_alone",
    "only_in",
    "purge",
    "purge_guests",
    "undo_adult",
    "undo_child",
    "undo_class",
]
