"""The status of a page with a form."""

from __future__ import annotations

from http import HTTPStatus


def form_status(errors: object) -> HTTPStatus:
    """422 if the form comes back with errors, else 200."""
    return HTTPStatus.UNPROCESSABLE_ENTITY if errors else HTTPStatus.OK
