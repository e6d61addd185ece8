"""URLs of the odds lab, under /lab/."""

from django.urls import path

from games.views import lab

app_name = "lab"
urlpatterns = [
    path("", lab.lab, name="lab"),
    path("<uuid:pk>/data.<slug:kind>", lab.data, name="data"),
]
