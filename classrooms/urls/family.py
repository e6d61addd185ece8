"""Pages for guardians."""

from django.urls import path

from classrooms.views import family

app_name = "family"
urlpatterns = [
    path("", family.home, name="home"),
    path("code/", family.enter_code, name="code"),
    path("children/", family.new_child, name="new-child"),
    path("letters/<str:token>/", family.stop_letters, name="letters-stop"),
    path("<int:pk>/", family.child, name="child"),
    path("<int:pk>/together/", family.activity, name="activity"),
    path("<int:pk>/consent/", family.consent, name="consent"),
    path("<int:pk>/letter/", family.letter, name="letter"),
    path("<int:pk>/invite/", family.invite, name="invite"),
    path("<int:pk>/card/", family.card, name="card"),
    path("<int:pk>/reset/", family.reset, name="reset"),
    path("<int:pk>/unlink/", family.unlink, name="unlink"),
]
