"""Mails that invite a colleague to teach a class together."""

from __future__ import annotations

from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from classrooms.classes.service import INVITATION_DAYS, invitation_token
from classrooms.models import TeacherInvitation
from core.links import absolute_url


def send_invitation(invitation: TeacherInvitation) -> str:
    """Send an invitation in the language of the class. Returns the link in it."""
    link = absolute_url("teach:invitation", invitation_token(invitation))
    with translation.override(invitation.classroom.language):
        context = {"invitation": invitation, "link": link, "days": INVITATION_DAYS}
        # A fixed subject: with text of the teacher's own in it, the site could be used to send advertisements.
        subject = _("A colleague invites you to teach a class together")
        send_mail(subject, render_to_string("teach/invitation.txt", context), None, [invitation.email])
    return link


def masked(email: str) -> str:
    """Mask an address so that its owner recognizes it, but nobody else can write to it."""
    name, _at, domain = email.partition("@")
    return f"{name[:1]}•••@{domain[:1]}•••.{domain.rpartition('.')[2]}"
