"""Every address of the site."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from classrooms.views import SignIn, account, enter_demo
from games.views.front import front

urlpatterns = [
    path("", front, name="front"),
    path("learn/", include("lessons.urls")),
    path("play/", include("games.urls")),
    path("account/", account, name="account"),
    path("account/sign-in/", SignIn.as_view(), name="sign-in"),
    path("account/sign-out/", LogoutView.as_view(), name="sign-out"),
    path("demo/<slug:slug>/", enter_demo, name="enter-demo"),
]
