"""The account page, the landing redirect, and signing in to the demo."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from classrooms import queries
from classrooms.accounts.sign_up import landing as landing_page
from classrooms.demo import people
from classrooms.outbox import read_mail
from classrooms.reports.family import who_can_see
from core.http.requests import Request


@require_safe
def account(request: Request) -> HttpResponse:
    """The account page: the user's classes and children, their games, and who can see them."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    about = queries.about(request.user)
    watchers = who_can_see(about.user) if about.user.is_student else []
    return render(request, "account/account.html", {"about": about, "watchers": watchers})


@require_safe
def landing(request: Request) -> HttpResponse:
    """Redirect to the page that shows what to do next."""
    if not request.user.is_authenticated:
        return redirect("front")
    return redirect(landing_page(request.user))


@require_POST
def enter_demo(request: HttpRequest, slug: str) -> HttpResponse:
    """Sign in as one of the demo's people. This page exists only in a demo."""
    person = next((person for person in people() if person.slug == slug), None) if settings.DEMO else None
    if person is None:
        raise Http404
    login(request, person.user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("landing")


@require_safe
def mail(request: HttpRequest) -> HttpResponse:
    """The mail that this site has written. This page exists only if mail goes to files."""
    if not settings.IS_LOCAL or settings.EMAIL_FILE_PATH is None:
        raise Http404
    return render(request, "account/mail.html", {"mails": read_mail()})
