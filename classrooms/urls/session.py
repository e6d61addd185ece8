"""The student's device in a live lesson. Its stream is handled before Django, see setsite.asgi."""

from django.urls import path

from classrooms.views import session

app_name = "session"
urlpatterns = [
    path("<slug:code>/", session.device, name="device"),
    path("<slug:code>/door/", session.door, name="door"),
    path("<slug:code>/join/", session.join, name="join"),
    path("<slug:code>/paper/", session.paper, name="paper"),
    path("<slug:code>/part/", session.part, name="part"),
    path("<slug:code>/act/", session.act, name="act"),
]
