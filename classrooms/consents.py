"""Recording consents, and the texts that people agree to. Nothing else writes consents.

A text whose meaning changes gets a new version here. The old one stays, because people have agreed to it.
"""

from __future__ import annotations

from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from classrooms.models import Classroom, Consent, User

HOME: Final = "home-1"
SCHOOL: Final = "school-1"
TEXTS: Final = {
    HOME: _("I'm this child's parent or guardian, and I agree that Setsite keeps what its privacy page says."),
    SCHOOL: _("The school allows this class to use Setsite, and I may decide that for my students."),
}


def consent_to_child(child: User, *, by: User) -> Consent:
    """Record that a guardian agrees to a child's home account."""
    return Consent.objects.create(child=child, given_by=by, text=HOME)


def declare_authority(classroom: Classroom, *, by: User) -> Consent:
    """Record a teacher's statement that the school allows it, and who at the school does."""
    return Consent.objects.create(classroom=classroom, given_by=by, text=SCHOOL, authority=classroom.authorised_by)


def children_without_consent(guardian: User) -> QuerySet[User]:
    """The guardian's children with a home account from before we asked for consent, to which nobody has agreed."""
    mine = User.objects.filter(guardian_links__guardian=guardian, is_home=True, deleted_at=None)
    return mine.exclude(consents__text=HOME).order_by("display_name")
