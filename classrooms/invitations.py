"""The mail that invites a colleague to teach a class together."""

from __future__ import annotations

from django.core.mail import send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from classrooms.classes import INVITATION_DAYS, invitation_token
from classrooms.models import TeacherInvitation


def send_invitation(invitation: TeacherInvitation, request: HttpRequest) -> str:
    """Send it, in the language of the class; the link that is in it."""
    address = reverse("teach:invitation", args=[invitation_token(invitation)])
    link = request.build_absolute_uri(address)
    with translation.override(invitation.classroom.language):
        context = {"invitation": invitation, "link": link, "days": INVITATION_DAYS}
        subject = _("Teach %(name)s together") % {"name": invitation.classroom.name}
        send_mail(subject, render_to_string("teach/invitation.txt", context), None, [invitation.email])
    return link
