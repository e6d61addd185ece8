"""How students join and sign in."""

from django.urls import path

from classrooms.views import join

app_name = "join"
urlpatterns = [
    path("", join.home, name="home"),
    path("card/", join.card, name="card-tap"),
    path("card/<str:token>/", join.scan, name="card"),
    path("<str:code>/", join.names, name="class"),
    path("<str:code>/<int:enrolment>/", join.pictures, name="pictures"),
]
