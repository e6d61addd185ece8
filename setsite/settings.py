"""Settings of the site, read from the environment; a value that makes no sense stops the start with a clear word."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

from core.sealed_files import CannotOpen, public_key

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


_SHORTEST_SECRET, _FEWEST_LETTERS = 50, 10
_FEWEST_MINUTES = 10
_NO_SECRETS = ("not-a-secret: good enough for a demo on one's own machine", "django-insecure-", "change-me", "changeme")


def _secret(name: str, *, needed: bool) -> str:
    value = os.environ.get(name, "")
    if not value and needed:
        raise ImproperlyConfigured(f"{name} is missing; a long random text is needed outside of demo and development")
    _refuse_weak(name, value, needed=needed)
    return value or _NO_SECRETS[0]


def _older_secrets(name: str, *, needed: bool) -> list[str]:
    """The keys that were used before, the newest first, with commas between them."""
    values = [each.strip() for each in os.environ.get(name, "").split(",") if each.strip()]
    for value in values:
        _refuse_weak(name, value, needed=needed)
    return values


def _refuse_weak(name: str, value: str, *, needed: bool) -> None:
    is_weak = len(value) < _SHORTEST_SECRET or len(set(value)) < _FEWEST_LETTERS
    if needed and (is_weak or value.startswith(_NO_SECRETS)):
        raise ImproperlyConfigured(
            f"{name} can be guessed; it is a random text of at least {_SHORTEST_SECRET} letters that nobody else knows"
        )


def _mail(name: str, *, needed: bool) -> dict[str, Any]:
    """How mail goes out: by a server, or into files that a page of the site shows."""
    value = os.environ.get(name, "")
    if not value:
        if needed:
            raise ImproperlyConfigured(f"{name} is missing; it is written smtp://user:password@host:port")
        return {"BACKEND": "django.core.mail.backends.filebased.EmailBackend", "FOLDER": VAR_DIR / "mail"}
    url = urlsplit(value)
    if url.scheme not in {"smtp", "smtps"} or not url.hostname:
        raise ImproperlyConfigured(
            f"{name} is written smtp://user:password@host:port, or smtps:// for TLS from the start"
        )
    return {
        "BACKEND": "core.mail.SMTPTransport",
        "HOST": url.hostname,
        "PORT": url.port or (465 if url.scheme == "smtps" else 587),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "SSL": url.scheme == "smtps",
    }


def _days(name: str, default: int) -> int:
    value = os.environ.get(name, str(default))
    if not value.isascii() or not value.isdigit() or not int(value):
        raise ImproperlyConfigured(f"{name} is {value!r}; it is a number of days, at least 1")
    return int(value)


def _minutes(name: str, default: int) -> int:
    value = os.environ.get(name, str(default))
    if not value.isascii() or not value.isdigit() or int(value) < _FEWEST_MINUTES:
        raise ImproperlyConfigured(f"{name} is {value!r}; it is a number of minutes, at least {_FEWEST_MINUTES}")
    return int(value)


def _credentials(name: str) -> dict[str, str] | None:
    """The id and the secret that a provider of sign-ins has given us; without them it is not offered."""
    value = os.environ.get(name, "")
    if not value:
        return None
    client_id, colon, secret = value.partition(":")
    if not client_id or not colon or not secret:
        raise ImproperlyConfigured(f"{name} is written id:secret")
    return {"client_id": client_id, "secret": secret}


def _providers() -> dict[str, Any]:
    """Who else may vouch for an adult: nobody, unless settings name them."""
    found: dict[str, Any] = {}
    for slug in ("google", "microsoft"):
        if app := _credentials(f"SETSITE_SIGN_IN_{slug.upper()}"):
            found[slug] = {"APPS": [app], "VERIFIED_EMAIL": slug == "google"}
    if app := _credentials("SETSITE_SIGN_IN_OPENID"):
        server = os.environ.get("SETSITE_SIGN_IN_OPENID_URL", "")
        if urlsplit(server).scheme != "https":
            raise ImproperlyConfigured("SETSITE_SIGN_IN_OPENID_URL is the https address of the OpenID server")
        name = os.environ.get("SETSITE_SIGN_IN_OPENID_NAME", "OpenID")
        more = {"provider_id": "openid", "name": name, "settings": {"server_url": server}}
        found["openid_connect"] = {"APPS": [app | more]}
    return found


def _sqlite_sync() -> str:
    chosen = os.environ.get("SETSITE_SQLITE_SYNC", "normal").upper()
    if chosen not in {"NORMAL", "FULL"}:
        raise ImproperlyConfigured("SETSITE_SQLITE_SYNC is normal or full")
    return chosen


def _sqlite() -> dict[str, Any]:
    return {
        "ENGINE": "core.db.sqlite",
        "NAME": os.environ.get("SETSITE_SQLITE") or VAR_DIR / "setsite.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A writer takes its lock at the start, so two never meet half-way and fail.
            "transaction_mode": "IMMEDIATE",
            "timeout": 5,
            # FULL waits for the disk at each commit, see docs/faults.md.
            "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={_sqlite_sync()};",
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
        "ENGINE": "core.db.postgresql",
        "NAME": os.environ.get("SETSITE_DATABASE_NAME") or unquote(url.path.strip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        # A host that begins with a slash is the folder of a socket: postgresql://user@%2Frun%2Fpostgresql/name
        "HOST": unquote(url.hostname or ""),
        "PORT": port or "",
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }


def _backup_key(name: str) -> str:
    value = os.environ.get(name, "")
    try:
        _ = public_key(value) if value else None
    except CannotOpen as error:
        raise ImproperlyConfigured(f"{name} is a public key, as `manage.py backup_key` prints it") from error
    return value


def _redis(name: str) -> str:
    """The Redis by which several processes hear of each other, count together and hand out work."""
    value = os.environ.get(name, "")
    url = urlsplit(value)
    try:
        port = url.port
    except ValueError:
        port = -1
    database = url.path.strip("/")
    if value and (
        url.scheme not in {"redis", "rediss"} or not url.hostname or port == -1 or not f"{database}0".isdigit()
    ):
        raise ImproperlyConfigured(f"{name} is written redis://:password@host:port/0, or rediss:// for TLS")
    return value


DEBUG = _flag("SETSITE_DEBUG")
# A demo offers its sign-ins to whoever opens the front page, so it never goes with a public host.
DEMO = _flag("SETSITE_DEMO")
IS_LOCAL = DEBUG or DEMO
SECRET_KEY = _secret("SETSITE_SECRET_KEY", needed=not IS_LOCAL)
# Keys that came before: they seal nothing new, and what they have sealed is still read.
SECRET_KEY_FALLBACKS = _older_secrets("SETSITE_SECRET_KEY_FALLBACKS", needed=not IS_LOCAL)
_LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = [host.strip() for host in os.environ.get("SETSITE_HOSTS", "").split(",") if host.strip()]
if not ALLOWED_HOSTS:
    if not IS_LOCAL:
        raise ImproperlyConfigured("SETSITE_HOSTS is missing; it names the hosts that the site is reached by")
    ALLOWED_HOSTS = _LOCAL_HOSTS
if DEMO and not set(ALLOWED_HOSTS) <= set(_LOCAL_HOSTS):
    raise ImproperlyConfigured("SETSITE_DEMO lets anybody sign in; it cannot be combined with SETSITE_HOSTS")
if DEBUG and not set(ALLOWED_HOSTS) <= set(_LOCAL_HOSTS):
    raise ImproperlyConfigured(
        "SETSITE_DEBUG shows code and settings to whoever meets an error; it can't be combined with SETSITE_HOSTS"
    )
VAR_DIR = _folder("SETSITE_VAR", BASE_DIR / "var")
# What letters and printed codes point to.
_HERE = f"http://localhost:{os.environ.get('PORT', '8000')}" if IS_LOCAL else f"https://{ALLOWED_HOSTS[0].lstrip('.')}"
SITE_URL = os.environ.get("SETSITE_URL", _HERE).rstrip("/")
if urlsplit(SITE_URL).scheme not in ({"http", "https"} if IS_LOCAL else {"https"}) or not urlsplit(SITE_URL).hostname:
    raise ImproperlyConfigured("SETSITE_URL is the address of the site, as in https://set.school.example")
if IS_LOCAL and urlsplit(SITE_URL).hostname not in {"localhost", "127.0.0.1", "::1"}:
    raise ImproperlyConfigured("SETSITE_DEMO and SETSITE_DEBUG are for this machine alone; SETSITE_URL names another")
SOCIALACCOUNT_PROVIDERS = _providers()
_SOCIAL_APPS = [
    "allauth.socialaccount",
    *(f"allauth.socialaccount.providers.{each}" for each in SOCIALACCOUNT_PROVIDERS),
]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials.apps.SimpleAppConfig",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    *(_SOCIAL_APPS if SOCIALACCOUNT_PROVIDERS else []),
    "core",
    "games",
    "lessons",
    "classrooms",
    "setsite",
]

MIDDLEWARE = [
    "core.http.middleware.note_route",
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "core.http.middleware.csp",
    "core.http.middleware.RefuseNulBytes",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "core.http.middleware.no_store",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "core.http.middleware.locale",
    "core.http.middleware.error_pages",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "classrooms.accounts.known_browsers.RememberAccounts",
    "classrooms.middleware.NoAccountPagesForStudents",
    "classrooms.middleware.EndIdleStudentSessions",
    "django_htmx.middleware.HtmxMiddleware",
    "core.http.middleware.vary_by_htmx",
    "core.http.middleware.HeavyWork",
    "core.http.middleware.TooManyAsPage",
    "core.http.gone.GoneMeanwhile",
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
                "games.templatetags.site",
                "games.templatetags.cards",
                "lessons.templatetags.lessons",
                "classrooms.templatetags.assigned",
                "classrooms.templatetags.people",
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
# A transaction that locks things in an order that could deadlock is an error wherever somebody develops or tests.
CHECKS_LOCK_ORDER = IS_LOCAL
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = _redis("SETSITE_REDIS")
# Limits are counted here: a count that is dropped is a limit forgotten.
_OF_PROCESS = {"BACKEND": "core.cache.process.OwnCache", "LOCATION": "process", "OPTIONS": {"MAX_ENTRIES": 100_000}}
CACHES = {
    "default": {"BACKEND": "core.cache.shared.SharedCache", "LOCATION": REDIS_URL, "KEY_PREFIX": "setsite"}
    if REDIS_URL
    else _OF_PROCESS,
    "process": _OF_PROCESS,
}
# One process may remember sessions; several would not hear of each other's sign-outs while Redis is away.
_IS_EMBEDDED = not os.environ.get("SETSITE_DATABASE") and not REDIS_URL
SESSION_ENGINE = "setsite.cached_sessions" if _IS_EMBEDDED else "setsite.sessions"

AUTH_USER_MODEL = "classrooms.User"
PASSWORD_HASHERS = [
    "core.passwords.Argon2Hasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "landing"
LOGOUT_REDIRECT_URL = "front"
ACCOUNT_ADAPTER = "classrooms.accounts.sign_up.Adapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_DISPLAY = "classrooms.accounts.sign_up.name_of"
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "classrooms.accounts.sign_up.SignUpForm"
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
# A code to type in keeps a guest in the browser in which they have learned something.
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
# An unattended computer must not become the account: what gives it away asks for the password again, unless somebody
# has just signed in, and the owner hears of every change.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_LOGOUT_REDIRECT_URL = "front"
# classrooms.accounts.guessing limits passwords, codes and reset mails, by browser and account; allauth's own limits
# would let anybody lock out the owner of an account, or a school that shares one network address.
ACCOUNT_RATE_LIMITS = {
    "login": None,
    "login_failed": None,
    "reset_password": None,
    "reset_password_from_key": "300/m/ip",
    "signup": "60/m/ip",
    "confirm_email": "1/10s/key,6/h/key,20/d/key",
    "change_password": "5/m/user,30/d/user",
}
ACCOUNT_FORMS = {
    "signup": "classrooms.accounts.forms.AdultSignupForm",
    "reset_password": "classrooms.accounts.forms.LimitedResetPasswordForm",
}
MFA_FORMS = {
    "authenticate": "classrooms.accounts.forms.LimitedAuthenticateForm",
    "reauthenticate": "classrooms.accounts.forms.LimitedReauthenticateForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Setsite"
MFA_ADAPTER = "classrooms.accounts.second_factors.SecondFactorAdapter"
SOCIALACCOUNT_ONLY = False
# Whoever comes by another site is asked whether they're an adult, too.
SOCIALACCOUNT_AUTO_SIGNUP = False

_MAIL = _mail("SETSITE_MAIL", needed=not IS_LOCAL)
# A request never talks to the mail server: it writes to the outbox, from which a job sends by the transport.
EMAIL_BACKEND = "core.mail.OutboxBackend"
MAIL_TRANSPORT = _MAIL["BACKEND"]
EMAIL_TIMEOUT = 10
EMAIL_FILE_PATH = _MAIL.get("FOLDER")
EMAIL_HOST, EMAIL_PORT = _MAIL.get("HOST", "localhost"), _MAIL.get("PORT", 25)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.get("USER", ""), _MAIL.get("PASSWORD", "")
EMAIL_USE_SSL = bool(_MAIL.get("SSL"))
EMAIL_USE_TLS = "HOST" in _MAIL and not EMAIL_USE_SSL
DEFAULT_FROM_EMAIL = os.environ.get("SETSITE_MAIL_FROM", f"Setsite <no-reply@{urlsplit(SITE_URL).hostname}>")

# How long what is kept, in days; the privacy page says it.
UNDO_DAYS = _days("SETSITE_UNDO_DAYS", 30)
GUEST_DAYS = _days("SETSITE_GUEST_DAYS", 30)
IDLE_CLASS_DAYS = _days("SETSITE_IDLE_CLASS_DAYS", 180)
ARCHIVED_CLASS_DAYS = _days("SETSITE_ARCHIVED_CLASS_DAYS", 365)
MATCH_DAYS = _days("SETSITE_MATCH_DAYS", 30)
IMPORT_HOURS = 24
# Tablets are shared: a student who does nothing for so long is signed out.
STUDENT_IDLE_SECONDS = 60 * _minutes("SETSITE_STUDENT_IDLE_MINUTES", 20)
JOB_DAYS = 7

# Without a broker a worker and a beat run in threads of the web process.
CELERY_BROKER_URL = REDIS_URL or "memory://"
IS_BROKERLESS = not REDIS_URL
# A Redis that takes connections and never answers is as good as away.
_PATIENCE = {"socket_connect_timeout": 2.0, "socket_timeout": 5.0}
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, float] = {"polling_interval": 0.05} if IS_BROKERLESS else _PATIENCE
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Heavy jobs have a queue of their own, which never keeps mail, letters and deletions waiting.
CELERY_TASK_DEFAULT_QUEUE = "people"
CELERY_TASK_ROUTES = {"core.tasks.run_jobs": {"queue": "heavy"}}
# Nothing that comes out of Redis is unpickled.
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = CELERY_RESULT_ACCEPT_CONTENT = ["json"]
# Heavy jobs that one process runs at once, and how many of all that run may be guests'.
JOBS_AT_ONCE = 3
GUEST_JOBS_AT_ONCE = 2
# A page does not wait for a broker that is away: the job is a row, and is found again.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_IGNORE_RESULT = True
# Seconds after which a worker stops a task, and kills what doesn't stop. Threads of the web process can't be stopped:
# there each task is bounded by itself.
CELERY_TASK_SOFT_TIME_LIMIT, CELERY_TASK_TIME_LIMIT = 3_000, 3_600
CELERY_TASK_ANNOTATIONS = {
    # Takes one job after the other, each of which has a deadline of its own.
    "core.tasks.run_jobs": {"soft_time_limit": 86_000, "time_limit": 86_400},
    # Less than a mail is its sender's own.
    "core.tasks.send_mail": {"soft_time_limit": 180, "time_limit": 240},
    "games.tasks.keep_time": {"soft_time_limit": 60, "time_limit": 90},
}
# The web process takes the time of matches by itself, where there is only one.
_KEEP_TIME = {"keep-time": {"task": "games.tasks.keep_time", "schedule": 1.0, "options": {"expires": 1.0}}}
CELERY_BEAT_SCHEDULE = {
    **({} if IS_BROKERLESS else _KEEP_TIME),
    "mend-jobs": {"task": "core.tasks.mend_jobs", "schedule": 5.0, "options": {"expires": 5.0}},
    "send-mail": {"task": "core.tasks.send_mail", "schedule": 5.0, "options": {"expires": 5.0}},
    "forget-jobs": {"task": "core.tasks.forget_jobs", "schedule": crontab(hour="3", minute="40")},
    # On Monday mornings about the week that is over; an hour later again, for what did not go out.
    "weekly-letters": {
        "task": "classrooms.tasks.send_weekly_letters",
        "schedule": crontab(hour="7,8", minute="0", day_of_week="mon"),
    },
    "friday-summaries": {
        "task": "classrooms.tasks.send_friday_summaries",
        "schedule": crontab(hour="15,16", minute="0", day_of_week="fri"),
    },
    "keep-privacy": {"task": "classrooms.tasks.keep_privacy", "schedule": crontab(hour="3", minute="20")},
}

_LOG = os.environ.get("SETSITE_LOG", "text" if IS_LOCAL else "json")
if _LOG not in {"text", "json"}:
    raise ImproperlyConfigured(f"SETSITE_LOG is {_LOG!r}; write text or json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "core.logs.JsonLines"},
        "text": {"format": "%(levelname)s %(name)s: %(message)s"},
    },
    "handlers": {"out": {"class": "logging.StreamHandler", "formatter": _LOG}},
    "root": {"handlers": ["out"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING"},
        # Pages that are not there are in the lines of requests.
        "django.request": {"level": "ERROR"},
        "setsite.requests": {"level": "INFO" if _LOG == "json" else "WARNING"},
    },
}
# The public key that backups are sealed for; `manage.py backup_key` makes one.
BACKUP_KEY = _backup_key("SETSITE_BACKUP_KEY")
# Who scrapes the figures says this; where it is not set there are none to be had.
METRICS_TOKEN = os.environ.get("SETSITE_METRICS_TOKEN", "")

LANGUAGE_CODE = "en-us"
# Each is called by its own name, which those who look for it can read.
LANGUAGES = [("en-us", "English (US)"), ("en-gb", "English (UK)"), ("fr", "Français"), ("es", "Español")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_AGE = 31_536_000
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
MEDIA_ROOT = VAR_DIR / "files"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _STATIC_BACKEND},
}

# A form that leads on to who vouches for an adult has to be allowed to.
_PROVIDER_PAGES = {"google": "https://accounts.google.com", "microsoft": "https://login.microsoftonline.com"}
_FORM_TARGETS = [_PROVIDER_PAGES[each] for each in SOCIALACCOUNT_PROVIDERS if each in _PROVIDER_PAGES]
if "openid_connect" in SOCIALACCOUNT_PROVIDERS:
    _FORM_TARGETS.append("https://" + urlsplit(os.environ["SETSITE_SIGN_IN_OPENID_URL"]).netloc)

_SOURCES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "form-action": " ".join(["'self'", *_FORM_TARGETS]),
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
CONTENT_SECURITY_POLICY = "; ".join(f"{what} {sources}" for what, sources in _SOURCES.items())
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "core.http.error_pages.old_page"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_SSL_REDIRECT = not IS_LOCAL
SECURE_HSTS_SECONDS = 0 if IS_LOCAL else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not IS_LOCAL
# Behind the proxy that ends TLS.
SECURE_PROXY_SSL_HEADER = None if IS_LOCAL else ("HTTP_X_FORWARDED_PROTO", "https")
