"""The admin's gate: only superusers who signed in with a second factor get in."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, TypeVar, cast

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, include, path
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from core.lanes.marks import REPORTS, slow
from core.limits import RateLimit, Window

_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])
log = logging.getLogger(__name__)
SECOND_FACTOR_SECONDS = 12 * 3_600
"""How long a second factor opens the admin; after that it asks for another code."""
PAGES = RateLimit("admin", (Window(120, 60), Window(2_000, 86_400)))
"""Pages for each operator, so that a stolen session can't copy everything."""


class OperatorSite(AdminSite):
    """Serves an index and the pages of each model.

    Everything else that Django's admin has is left out: its own sign-in, which wouldn't ask for a second factor or
    count tries, adding, deleting, bulk actions, autocompletion and "view on site".
    """

    def get_urls(self) -> list[URLPattern | URLResolver]:
        pages: list[URLPattern | URLResolver] = [path("", self.admin_view(require_safe(self.index)), name="index")]
        for model, model_admin in self._registry.items():
            opts = model._meta
            pages.append(path(f"{opts.app_label}/{opts.model_name}/", include(model_admin.get_urls())))
        return pages

    def admin_view(self, view: _View, cacheable: bool = False) -> _View:
        """Let only operators in. The pages count and list rows of large tables, so they're marked as slow."""

        @slow(lane=REPORTS)
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **more: Any) -> HttpResponseBase:
            refused = refusal(request)
            if refused is not None:
                return refused
            PAGES.take(str(request.user.pk))
            return view(request, *args, **more)

        return cast("_View", guarded)

    def has_permission(self, request: HttpRequest) -> bool:
        return refusal(request) is None

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Nothing: Django's own context lists URLs that this site doesn't have."""
        return {}

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # type: ignore[override]
        tables = sorted(
            (capfirst(str(model._meta.verbose_name_plural)), f"admin:{model._meta.app_label}_{model._meta.model_name}")
            for model in self._registry
        )
        return render(request, "admin/index.html", {"tables": [(name, f"{url}_changelist") for name, url in tables]})


def refusal(request: HttpRequest) -> HttpResponseBase | None:
    """The response to somebody who may not use the admin, or None for an operator."""
    user = request.user
    if not user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not user.is_superuser or user.is_student or user.deleted_at:
        # Nobody else learns that there is an admin.
        raise Http404("for operators")
    factors = set(Authenticator.objects.filter(user=user).values_list("pk", flat=True))
    if factors and _proved(request) & factors:
        return None
    log.warning("admin.refused", extra={"user": user.pk, "has_second_factor": bool(factors)})
    context = {"has_second_factor": bool(factors), "next": request.get_full_path()}
    return render(request, "admin/second_factor.html", context, status=HTTPStatus.FORBIDDEN)


def _proved(request: HttpRequest) -> set[int]:
    """The second factors that were used in this session lately, by key: one set up again has another."""
    since = time.time() - SECOND_FACTOR_SECONDS
    records = get_authentication_records(request, request.user)
    return {each["id"] for each in records if each["method"] == "mfa" and each["at"] >= since}


operators = OperatorSite(name="admin")
