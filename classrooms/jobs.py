"""Background jobs about people: printing the certificates of a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classrooms.classes.certificates import class_certificates
from core.jobs.kinds import Failure, JobKind, JobResult, Reporter, declare
from games.printing.printed import printed


def print_certificates(asked: Mapping[str, Any], report: Reporter) -> JobResult:
    pages = class_certificates(asked)
    if not pages:
        raise Failure(_("None of these students has mastered a skill now."))
    return printed(pages, title=_("Certificates"), name="setsite-certificates.pdf", report=report, has_picture=False)


declare(JobKind("certificates", gettext_lazy("Certificates"), print_certificates, template="printing/_result.html"))
