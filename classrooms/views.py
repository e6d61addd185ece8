"""Pages about people: who I am here, and the demo's way in."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from classrooms import queries
from classrooms.demo import people


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Who I am here, my classes, my children, and what was played."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    return render(request, "account/account.html", {"about": queries.about(request.user)})


class SignIn(LoginView):
    template_name = "account/sign_in.html"

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


@require_POST
def enter_demo(request: HttpRequest, slug: str) -> HttpResponse:
    """Sign in as one of the demo's people; outside of a demo there is no such page."""
    person = next((person for person in people() if person.slug == slug), None) if settings.DEMO else None
    if person is None:
        raise Http404
    login(request, person.user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("account")
