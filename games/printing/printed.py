"""Pages as the result of a job: the PDF, and a picture of the first page."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from core.jobs.kinds import JobResult, Reporter
from core.printing.page import Page
from core.printing.pdf import pages_pdf
from core.printing.preview import page_svg


def printed(pages: Sequence[Page], *, title: str, name: str, report: Reporter, has_picture: bool = True) -> JobResult:
    """Pages as a job's result. If they have names on them, leave out the picture: names belong only in the file."""
    pdf = pages_pdf(pages, title=title, on_page=lambda number: report(number / len(pages)))
    picture = page_picture(pages, 0) if has_picture else ""
    return JobResult({"pages": len(pages), "picture": picture}, pdf, name)


def page_picture(pages: Sequence[Page], place: int) -> str:
    label = _("Page %(number)s of %(of)s") % {"number": place + 1, "of": len(pages)}
    return page_svg(pages[place], label)
