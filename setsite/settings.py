"""Django settings, read from the environment. Invalid values stop the start, and all are reported at once."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from celery.schedules import crontab

from setsite.environment import Environment, at_least, one_of

BASE_DIR = Path(__file__).resolve().parent.parent

# Everything read from the environment. Nothing is used before all of it is known to be valid.
env = Environment()
DEBUG = env.bool("SETSITE_DEBUG", False)
# A demo lets anyone on the front page sign in, so it's never allowed on a public host.
DEMO = env.bool("SETSITE_DEMO", False)
# An invalid flag (None) counts as local: a public site would report further missing values.
IS_LOCAL = DEBUG is not False or DEMO is not False
SECRET_KEY = env.secret("SETSITE_SECRET_KEY", "", is_local=IS_LOCAL)
# Former keys: they still read what they've signed or encrypted, but nothing new is made with them.
SECRET_KEY_FALLBACKS = env.older_secrets("SETSITE_SECRET_KEY_FALLBACKS", "", is_local=IS_LOCAL)
ALLOWED_HOSTS = env.hosts("SETSITE_HOSTS", "", is_demo=DEMO, is_debug=DEBUG, is_local=IS_LOCAL)
VAR_DIR = env.folder("SETSITE_VAR", "", unless_set=BASE_DIR / "var")
_PUBLIC_URL = f"https://{ALLOWED_HOSTS[0].lstrip('.')}" if ALLOWED_HOSTS else "https://set.school.example"
_DEFAULT_URL = f"http://localhost:{env.str('PORT', '8000')}" if IS_LOCAL else _PUBLIC_URL
# The base of links in letters and printed codes.
SITE_URL = env.site_url("SETSITE_URL", _DEFAULT_URL, is_local=IS_LOCAL)
_MAIL = env.address(
    "SETSITE_MAIL",
    "",
    schemes={"smtp", "smtps"},
    words="written smtp://user:password@host:port, or smtps:// for TLS from the start",
    is_needed=not IS_LOCAL,
)
_MAIL_FROM = env.str("SETSITE_MAIL_FROM", "")
_POSTGRESQL = env.address(
    "SETSITE_DATABASE",
    "",
    schemes={"postgresql"},
    words="written postgresql://user:password@host:port/name",
    path="/+[^/].*",
    needs_host=False,
)
_POSTGRESQL_NAME = env.str("SETSITE_DATABASE_NAME", "")
_SQLITE = env.str("SETSITE_SQLITE", "")
_SQLITE_SYNC = env.str("SETSITE_SQLITE_SYNC", "normal", validate=one_of("normal", "full"))
# Redis, over which several processes share messages, counters and work.
_REDIS = env.address(
    "SETSITE_REDIS",
    "",
    schemes={"redis", "rediss"},
    words="written redis://:password@host:port/0, or rediss:// for TLS",
    path="/*[0-9]*/*",
)
_GOOGLE = env.credentials("SETSITE_SIGN_IN_GOOGLE", "")
_MICROSOFT = env.credentials("SETSITE_SIGN_IN_MICROSOFT", "")
_OPENID = env.credentials("SETSITE_SIGN_IN_OPENID", "")
_OPENID_URL = _OPENID and env.address(
    "SETSITE_SIGN_IN_OPENID_URL",
    "",
    schemes={"https"},
    words="the https address of the OpenID server",
    is_needed=True,
)
_OPENID_NAME = env.str("SETSITE_SIGN_IN_OPENID_NAME", "OpenID")
# How long data is kept, as stated on the privacy page.
_DAYS = at_least(1, "days")
UNDO_DAYS = env.int("SETSITE_UNDO_DAYS", 30, validate=_DAYS)
GUEST_DAYS = env.int("SETSITE_GUEST_DAYS", 30, validate=_DAYS)
IDLE_CLASS_DAYS = env.int("SETSITE_IDLE_CLASS_DAYS", 180, validate=_DAYS)
ARCHIVED_CLASS_DAYS = env.int("SETSITE_ARCHIVED_CLASS_DAYS", 365, validate=_DAYS)
MATCH_DAYS = env.int("SETSITE_MATCH_DAYS", 30, validate=_DAYS)
# Tablets are shared, so a student who's idle for this long is signed out.
_STUDENT_IDLE_MINUTES = env.int("SETSITE_STUDENT_IDLE_MINUTES", 20, validate=at_least(10, "minutes"))
_LOG = env.str("SETSITE_LOG", "text" if IS_LOCAL else "json", validate=one_of("text", "json"))
# The public key for sealing backups; `manage.py backup_key` makes one.
BACKUP_KEY = env.backup_key("SETSITE_BACKUP_KEY", "")
# Prometheus must send this token. Without it, metrics aren't served at all.
METRICS_TOKEN = env.str("SETSITE_METRICS_TOKEN", "")
env.finish()

# Other sign-in providers for adults: none, unless configured.
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {}
if _GOOGLE:
    SOCIALACCOUNT_PROVIDERS["google"] = {"APPS": [_GOOGLE], "VERIFIED_EMAIL": True}
if _MICROSOFT:
    SOCIALACCOUNT_PROVIDERS["microsoft"] = {"APPS": [_MICROSOFT], "VERIFIED_EMAIL": False}
if _OPENID:
    _OPENID |= {"provider_id": "openid", "name": _OPENID_NAME, "settings": {"server_url": _OPENID_URL.geturl()}}
    SOCIALACCOUNT_PROVIDERS["openid_connect"] = {"APPS": [_OPENID]}
_SOCIAL_APPS = [
    "allauth.socialaccount",
    *(f"allauth.socialaccount.providers.{each}" for each in SOCIALACCOUNT_PROVIDERS),
]

INSTALLED_APPS = [
    # Without discovery: only setsite.admin says what the admin shows.
    "django.contrib.admin.apps.SimpleAdminConfig",
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
    "core.http.middleware.ErrorsAsStatus",
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
                "core.templatetags.modules",
                "template_partials.templatetags.partials",
                "games.templatetags.art",
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

DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        "ENGINE": "core.db.postgresql",
        "NAME": _POSTGRESQL_NAME or unquote(_POSTGRESQL.path.strip("/")),
        "USER": unquote(_POSTGRESQL.username or ""),
        "PASSWORD": unquote(_POSTGRESQL.password or ""),
        # A host that starts with a slash is the folder of a socket: postgresql://user@%2Frun%2Fpostgresql/name
        "HOST": unquote(_POSTGRESQL.hostname or ""),
        "PORT": _POSTGRESQL.port or "",
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }
    if _POSTGRESQL
    else {
        "ENGINE": "core.db.sqlite",
        "NAME": _SQLITE or VAR_DIR / "setsite.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # Writers take the lock at BEGIN, so two can't fail halfway by upgrading from a read lock.
            "transaction_mode": "IMMEDIATE",
            "timeout": 5,
            # FULL waits for the disk at every commit, see docs/faults.md.
            "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={_SQLITE_SYNC};",
        },
        # A file, so that the browser tests and the server they start see the same data.
        "TEST": {"NAME": VAR_DIR / "test.sqlite3"},
    }
}
# In development and tests, a lock order that could deadlock is an error.
CHECKS_LOCK_ORDER = IS_LOCAL
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Rate limits are counted here, so an evicted entry would be a forgotten limit.
_PROCESS_CACHE = {"BACKEND": "core.cache.process.OwnCache", "LOCATION": "process", "OPTIONS": {"MAX_ENTRIES": 100_000}}
REDIS_URL = _REDIS.geturl() if _REDIS else ""
CACHES = {
    "default": {"BACKEND": "core.cache.shared.SharedCache", "LOCATION": REDIS_URL, "KEY_PREFIX": "setsite"}
    if REDIS_URL
    else _PROCESS_CACHE,
    "process": _PROCESS_CACHE,
}
# A single process may cache sessions; several would miss each other's sign-outs while Redis is down.
_IS_EMBEDDED = not _POSTGRESQL and not REDIS_URL
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
# Verifying by a code keeps guests in the browser that holds their progress.
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
# Guard accounts on unattended computers: sensitive changes ask for the password again, unless the user has just signed
# in, and the owner is notified of every change.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_LOGOUT_REDIRECT_URL = "front"
# classrooms.accounts.guessing limits passwords, codes and reset mails by browser and account. allauth's own limits
# would let anyone lock out an account's owner, or a school that shares one network address.
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
# Ask users from other sign-in providers whether they're adults, too.
SOCIALACCOUNT_AUTO_SIGNUP = False

# Requests only write mail to the outbox. A task sends it from there through MAIL_TRANSPORT.
EMAIL_BACKEND = "core.mail.OutboxBackend"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = _MAIL_FROM or f"Setsite <no-reply@{urlsplit(SITE_URL).hostname}>"
if _MAIL:
    MAIL_TRANSPORT = "core.mail.SMTPTransport"
    EMAIL_USE_SSL = _MAIL.scheme == "smtps"
    EMAIL_USE_TLS = not EMAIL_USE_SSL
    EMAIL_HOST, EMAIL_PORT = _MAIL.hostname, _MAIL.port or (465 if EMAIL_USE_SSL else 587)
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_MAIL.username or ""), unquote(_MAIL.password or "")
else:
    # Into files, which the site shows on a page.
    MAIL_TRANSPORT = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = VAR_DIR / "mail"

IMPORT_HOURS = 24
STUDENT_IDLE_SECONDS = 60 * _STUDENT_IDLE_MINUTES
JOB_DAYS = 7

# Without a broker, Celery's worker and beat run in threads of the web process.
# With a host, though there is none: Kombu warns at each start if it's missing.
CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
IS_BROKERLESS = not REDIS_URL
# A Redis that accepts connections but never answers counts as down.
_BROKER_TIMEOUTS = {"socket_connect_timeout": 2.0, "socket_timeout": 5.0}
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, float] = {"polling_interval": 0.25} if IS_BROKERLESS else _BROKER_TIMEOUTS
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Heavy jobs have their own queue, so that they don't delay mail, letters and deletions.
CELERY_TASK_DEFAULT_QUEUE = "people"
CELERY_TASK_ROUTES = {"core.tasks.run_next_job": {"queue": "heavy"}}
# JSON only, so that nothing from Redis is ever unpickled.
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = CELERY_RESULT_ACCEPT_CONTENT = ["json"]
# How many heavy jobs one process runs at once, and how many guest jobs may run at once overall.
JOBS_AT_ONCE = 3
GUEST_JOBS_AT_ONCE = 2
# A page mustn't wait for a broker that's down: the job is a row and will be found again.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_IGNORE_RESULT = True
# Seconds after which a worker stops a task, and then kills it. Threads of the web process can't be stopped, so there
# each task must limit itself.
CELERY_TASK_SOFT_TIME_LIMIT, CELERY_TASK_TIME_LIMIT = 3_000, 3_600
CELERY_TASK_ANNOTATIONS = {
    # A fallback: runs have a shorter deadline of their own.
    "core.tasks.run_next_job": {"soft_time_limit": 900, "time_limit": 930},
    # Shorter than the time a worker has a mail to itself.
    "core.tasks.send_mail": {"soft_time_limit": 180, "time_limit": 240},
}
CELERY_BEAT_SCHEDULE = {
    "requeue-stale-jobs": {"task": "core.tasks.requeue_stale_jobs", "schedule": 5.0, "options": {"expires": 5.0}},
    "send-mail": {"task": "core.tasks.send_mail", "schedule": 5.0, "options": {"expires": 5.0}},
    "delete-old-jobs": {"task": "core.tasks.delete_old_jobs", "schedule": crontab(hour="3", minute="40")},
    # Monday mornings, about the past week; again an hour later, for letters that weren't sent.
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

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "core.logs.JsonLines"},
        "text": {"()": "core.logs.TextLines", "fmt": "%(levelname)s %(name)s: %(message)s"},
    },
    "handlers": {"out": {"class": "logging.StreamHandler", "formatter": _LOG}},
    "root": {"handlers": ["out"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING"},
        # 404s are in the request log already.
        "django.request": {"level": "ERROR"},
        "setsite.requests": {"level": "INFO" if _LOG == "json" else "WARNING"},
    },
}

LANGUAGE_CODE = "en-us"
# Each language is listed by its own name, so that its speakers can find it.
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
# With DEBUG, changed files show on reload; otherwise file names contain a content hash and are cached forever.
_STATIC_BACKEND = (
    "django.contrib.staticfiles.storage.StaticFilesStorage" if DEBUG else "core.http.static_files.ModuleStorage"
)
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
MEDIA_ROOT = VAR_DIR / "files"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _STATIC_BACKEND},
}

# Forms that redirect to a sign-in provider must be allowed to by the CSP.
_PROVIDER_PAGES = {"google": "https://accounts.google.com", "microsoft": "https://login.microsoftonline.com"}
_FORM_TARGETS = [_PROVIDER_PAGES[each] for each in SOCIALACCOUNT_PROVIDERS if each in _PROVIDER_PAGES]
if "openid_connect" in SOCIALACCOUNT_PROVIDERS:
    _FORM_TARGETS.append(f"https://{_OPENID_URL.netloc}")

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
# Set by the proxy that terminates TLS.
SECURE_PROXY_SSL_HEADER = None if IS_LOCAL else ("HTTP_X_FORWARDED_PROTO", "https")
