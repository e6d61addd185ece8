# The site's image. Web, worker, beat and the manage.py commands run the same image with different commands.
# The base image's digest is passed at build time, so that no other image can take its place:
#   docker build --build-arg PYTHON_DIGEST=sha256:... (deploy/env.example says how to look it up)
ARG PYTHON_DIGEST
FROM docker.io/library/python:3.11-slim-bookworm@${PYTHON_DIGEST}

# pg_dump and pg_restore for backups, gettext for the translations.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client gettext \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home setsite

WORKDIR /srv/setsite
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 SETSITE_VAR=/srv/var
COPY requirements/scale.txt requirements/
RUN pip install --no-cache-dir --require-hashes --requirement requirements/scale.txt

COPY manage.py pyproject.toml ./
COPY core core
COPY setsite setsite
COPY games games
COPY lessons lessons
COPY classrooms classrooms
COPY templates templates
COPY static static
COPY locale locale
RUN python -m compileall -q . \
    && SETSITE_DEBUG=1 python manage.py compilemessages --verbosity 0 \
    && install --directory --owner setsite /srv/var /srv/var/static

USER setsite
# Static files have their own volume, the only one that the proxy sees.
VOLUME /srv/var /srv/var/static
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz/', timeout=2)"]
CMD ["python", "manage.py", "web", "--host", "0.0.0.0", "--port", "8000"]
