"""The projector of a live lesson at its own address, which is short because somebody may have to type it."""

from django.urls import path

from classrooms.views import wall

app_name = "wall"
urlpatterns = [
    path("<slug:code>/<slug:key>/", wall.screen, name="screen"),
    path("<slug:code>/<slug:key>/part/", wall.part, name="part"),
]
