"""The site's URLconf."""

from allauth.urls import build_provider_urlpatterns
from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from classrooms.views import account
from core.help import views as help_pages
from core.offline import views as app
from games.views.front import front
from setsite.admin.models import operators
from setsite.views import appearance, style

_providers: list[URLPattern | URLResolver] = []
if settings.SOCIALACCOUNT_PROVIDERS:
    _providers = [
        path("account/elsewhere/", include("allauth.socialaccount.urls")),
        path("account/", include(build_provider_urlpatterns())),
    ]

urlpatterns = [
    path("", front, name="front"),
    path("app.webmanifest", app.manifest, name="manifest"),
    path("sw.js", app.worker, name="worker"),
    path("offline/", app.offline, name="offline"),
    path("learn/", include("lessons.urls")),
    path("play/", include("games.urls")),
    path("join/", include("classrooms.urls.join")),
    path("session/", include("classrooms.urls.session")),
    path("wall/", include("classrooms.urls.wall")),
    path("teach/session/", include("classrooms.urls.lead")),
    path("teach/", include("classrooms.urls.teach")),
    path("family/", include("classrooms.urls.family")),
    path("jobs/", include("core.jobs.urls")),
    path("lab/", include("games.lab_urls")),
    path("print/", include("classrooms.urls.printing")),
    path("privacy/", include("classrooms.urls.privacy")),
    path("account/", account.account, name="account"),
    path("account/next/", account.landing, name="landing"),
    path("account/2fa/", include("allauth.mfa.urls")),
    path("account/", include("allauth.account.urls")),
    *_providers,
    path("help/", help_pages.index, name="help"),
    path("help/<slug:slug>/", help_pages.topic, name="help-topic"),
    path("look/", appearance.look, name="look"),
    path("look/language/", appearance.choose_language, name="language"),
    path("style/", style.style, name="style"),
    path("mail/", account.mail, name="mail"),
    path("admin/", operators.urls),
    path("demo/<slug:slug>/", account.enter_demo, name="enter-demo"),
]

handler400 = "core.http.error_pages.bad_request"
handler403 = "core.http.error_pages.forbidden"
handler404 = "core.http.error_pages.not_found"
handler429 = "classrooms.accounts.allauth_limits.too_many"
handler500 = "core.http.error_pages.our_mistake"
