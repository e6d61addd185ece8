"""Certificates for a class: who has mastered something, and the pages to print."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import date
from typing import Any

from classrooms.models import Classroom, Enrolment
from core.printing.page import Page
from core.printing.paper import Paper
from games.art.palettes import palette_named
from lessons.printing.certificates import Certificate
from lessons.progress.mastery import mastered_skills
from lessons.progress.snapshots import skill_states_of
from lessons.skills import Skill


def masters(classroom: Classroom, *, now: float) -> list[tuple[Enrolment, list[Skill]]]:
    """The students who have mastered at least one skill, with those skills."""
    enrolments = list(classroom.enrolments.present())
    states = skill_states_of([each.student for each in enrolments])
    found = [(each, mastered_skills(states[each.student_id], now)) for each in enrolments]
    return [(each, skills) for each, skills in found if skills]


def class_certificates(asked: Mapping[str, Any]) -> list[Page]:
    """A page for each requested student with their present skills. The job stores student numbers but no names."""
    classroom = Classroom.objects.not_deleted().filter(pk=asked["classroom"], teachers=asked["teacher"]).first()
    if classroom is None:
        return []
    paper, palette, on = Paper(asked["paper"]), palette_named(asked["palette"]), date.fromisoformat(asked["on"])
    wanted = set(asked["students"])
    return [
        Certificate(
            name=(asked["real_names"] and each.real_name) or each.student.display_name,
            skills=skills,
            on=on,
            class_name=classroom.name,
        ).page(paper, palette)
        for each, skills in masters(classroom, now=time.time())
        if str(each.pk) in wanted
    ]
