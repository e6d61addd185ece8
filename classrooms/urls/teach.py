"""Pages for teachers."""

from django.urls import path

from classrooms.urls import reports, roster
from classrooms.views import teach

app_name = "teach"
urlpatterns = [
    path("", teach.home, name="home"),
    path("new/", teach.new, name="new"),
    path("summary/", teach.summary, name="summary"),
    path("invitation/<str:token>/", teach.invitation, name="invitation"),
    path("<int:pk>/settings/", teach.settings, name="settings"),
    path("<int:pk>/settings/code/", teach.renew_code, name="code"),
    path("<int:pk>/new-devices/", teach.let_new_devices_in, name="new-devices"),
    path("<int:pk>/new-devices/stop/", teach.stop_new_devices, name="new-devices-stop"),
    path("<int:pk>/settings/archive/", teach.archive, name="archive"),
    path("<int:pk>/settings/restore/", teach.restore, name="restore"),
    path("<int:pk>/teachers/invite/", teach.invite, name="invite"),
    path("<int:pk>/teachers/<int:teacher>/remove/", teach.remove_teacher, name="remove-teacher"),
    path("<int:pk>/teachers/invitations/<int:invitation>/cancel/", teach.cancel_invitation, name="cancel-invitation"),
    path("<int:pk>/settings/access/", teach.renew_access, name="renew-access"),
    *roster.urlpatterns,
    *reports.urlpatterns,
]
