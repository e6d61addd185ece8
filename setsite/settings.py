"""Settings of the site, read from the environment; a value that makes no sense stops the start with a clear word."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent


def _flag(name: str, *, default: bool = False) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    value = os.environ.get(name)
    if value is None:
        return default
    if value.lower() not in words:
        raise ImproperlyConfigured(f"{name} is {value!r}; write 1 or 0")
    return words[value.lower()]


def _folder(name: str, default: Path) -> Path:
    path = Path(os.environ.get(name) or default).expanduser().absolute()
    if path.exists() and not path.is_dir():
        raise ImproperlyConfigured(f"{name} is {str(path)!r}, which is not a folder")
    return path


def _secret(name: str, *, needed: bool) -> str:
    value = os.environ.get(name, "")
    if value:
        return value
    if needed:
        raise ImproperlyConfigured(f"{name} is missing; a long random text is needed outside of demo and development")
    return "not-a-secret: good enough for a demo on one's own machine"


def _sqlite() -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": VAR_DIR / "setsite.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A writer takes its lock at the start, so two never meet half-way and fail.
            "transaction_mode": "IMMEDIATE",
            "timeout": 5,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
        # A file, so that the server that browser tests start and the tests themselves see the same data.
        "TEST": {"NAME": VAR_DIR / "test.sqlite3"},
    }


def _postgresql() -> dict[str, Any]:
    url = urlsplit(os.environ["SETSITE_DATABASE"])
    try:
        port = url.port
    except ValueError:
        port = -1
    if url.scheme != "postgresql" or not url.path.strip("/") or port == -1:
        raise ImproperlyConfigured("SETSITE_DATABASE is written postgresql://user:password@host:port/name")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(url.path.strip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        # A host that begins with a slash is the folder of a socket: postgresql://user@%2Frun%2Fpostgresql/name
        "HOST": unquote(url.hostname or ""),
        "PORT": port or "",
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }


DEBUG = _flag("SETSITE_DEBUG")
# A demo offers its sign-ins to whoever opens the front page, so it never goes with a public host.
DEMO = _flag("SETSITE_DEMO")
IS_LOCAL = DEBUG or DEMO
SECRET_KEY = _secret("SETSITE_SECRET_KEY", needed=not IS_LOCAL)
_LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = [host.strip() for host in os.environ.get("SETSITE_HOSTS", "").split(",") if host.strip()]
if not ALLOWED_HOSTS:
    if not IS_LOCAL:
        raise ImproperlyConfigured("SETSITE_HOSTS is missing; it names the hosts that the site is reached by")
    ALLOWED_HOSTS = _LOCAL_HOSTS
if DEMO and not set(ALLOWED_HOSTS) <= set(_LOCAL_HOSTS):
    raise ImproperlyConfigured("SETSITE_DEMO lets anybody sign in; it cannot be combined with SETSITE_HOSTS")
VAR_DIR = _folder("SETSITE_VAR", BASE_DIR / "var")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials.apps.SimpleAppConfig",
    "csp",
    "setsite",
    "games",
    "lessons",
    "classrooms",
]

MIDDLEWARE = [
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "setsite.middleware.vary_by_htmx",
]

ROOT_URLCONF = "setsite.urls"
_TEMPLATE_FILES = ["django.template.loaders.filesystem.Loader", "django.template.loaders.app_directories.Loader"]
_TEMPLATE_LOADERS = _TEMPLATE_FILES if DEBUG else [("django.template.loaders.cached.Loader", _TEMPLATE_FILES)]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "template_partials.templatetags.partials",
                "games.templatetags.cards",
                "lessons.templatetags.lessons",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "setsite.context.site",
            ],
            "loaders": [("template_partials.loader.Loader", _TEMPLATE_LOADERS)],
        },
    }
]

DATABASES = {"default": _postgresql() if os.environ.get("SETSITE_DATABASE") else _sqlite()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        # Limits are counted here: a count that is dropped is a limit forgotten.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}
# One process may remember sessions; several would not hear of each other's sign-outs.
_IS_EMBEDDED = "sqlite3" in DATABASES["default"]["ENGINE"]
SESSION_ENGINE = f"django.contrib.sessions.backends.{'cached_db' if _IS_EMBEDDED else 'db'}"

AUTH_USER_MODEL = "classrooms.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "front"

# Without a broker the web process keeps time by itself.
CELERY_BROKER_URL = os.environ.get("SETSITE_BROKER", "memory://")
CELERY_BEAT_SCHEDULE = {"keep-time": {"task": "games.tasks.keep_time", "schedule": 1.0, "options": {"expires": 1.0}}}

LANGUAGE_CODE = "en-us"
LANGUAGES = [("en-us", _("English (US)")), ("en-gb", _("English (UK)")), ("fr", _("French")), ("es", _("Spanish"))]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# With DEBUG a changed file shows at the next reload; otherwise names carry their content and are kept for ever.
_STATIC_BACKEND = (
    "django.contrib.staticfiles.storage.StaticFilesStorage"
    if DEBUG
    else "whitenoise.storage.CompressedManifestStaticFilesStorage"
)
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _STATIC_BACKEND},
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = not IS_LOCAL
SECURE_HSTS_SECONDS = 0 if IS_LOCAL else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not IS_LOCAL
# Behind the proxy that ends TLS.
SECURE_PROXY_SSL_HEADER = None if IS_LOCAL else ("HTTP_X_FORWARDED_PROTO", "https")
