"""The site's addresses, and a bare view to compare them with."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from games.models import Seat
from setsite.urls import urlpatterns as site_urls


def row(request: HttpRequest, number: int) -> HttpResponse:
    """The least that a view with a database does."""
    return HttpResponse(Seat.objects.get(pk=number).name)


# Last, so that the site's own addresses are found as fast as without it.
urlpatterns = [*site_urls, path("tools/bench/row/<int:number>/", row)]
