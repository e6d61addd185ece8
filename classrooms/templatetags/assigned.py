"""A tag that shows a student's open assignments, so that pages of `lessons` needn't know about classes."""

from __future__ import annotations

import time
from typing import Any

from django import template

from classrooms.classes.assignments import open_for

register = template.Library()


@register.inclusion_tag("teach/_assigned.html", takes_context=True)
def assigned_tasks(context: dict[str, Any]) -> dict[str, Any]:
    user = context["request"].user
    tasks = open_for(user, now=time.time()) if user.is_authenticated and user.is_student else []
    return {"tasks": tasks}
