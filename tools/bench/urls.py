"""The site's URLs, and a minimal view to compare them with."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from games.models import Seat
from setsite.urls import urlpatterns as site_urls


def row(request: HttpRequest, number: int) -> HttpResponse:
    """The least that a view using the database does."""
    return HttpResponse(Seat.objects.get(pk=number).name)


# Last, so that the site's own URLs resolve as fast as without it.
urlpatterns = [*site_urls, path("bench/row/<int:number>/", row)]
