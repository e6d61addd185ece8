"""Background jobs for learners: worksheets, and one's own certificate."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.jobs.kinds import JobKind, JobResult, Reporter, declare
from core.printing.page import Page
from core.printing.paper import Paper
from games.art.palettes import palette_named
from games.printing.printed import printed
from lessons.printing.certificates import Certificate
from lessons.printing.worksheets import Worksheet
from lessons.skills import Skill


def print_worksheet(asked: Mapping[str, Any], report: Reporter) -> JobResult:
    worksheet = Worksheet.asked(asked)
    name = f"setsite-{worksheet.sheet.kind}-{worksheet.sheet.code}.pdf"
    return printed(worksheet.pages(), title=worksheet.title, name=name, report=report)


def own_certificate(asked: Mapping[str, Any]) -> list[Page]:
    """A certificate of the skills that were mastered when it was requested."""
    skills = [Skill(each) for each in asked["skills"]]
    certificate = Certificate(name=asked["name"], skills=skills, on=date.fromisoformat(asked["on"]))
    return [certificate.page(Paper(asked["paper"]), palette_named(asked["palette"]))]


def print_certificate(asked: Mapping[str, Any], report: Reporter) -> JobResult:
    return printed(own_certificate(asked), title=_("Certificate"), name="setsite-certificate.pdf", report=report)


_RESULT = "printing/_result.html"
declare(JobKind("worksheet", gettext_lazy("A worksheet"), print_worksheet, template=_RESULT))
declare(JobKind("certificate", gettext_lazy("My certificate"), print_certificate, template=_RESULT))
