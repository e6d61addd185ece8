"""URLs of jobs, under /jobs/."""

from django.urls import path

from core.jobs import views as jobs

app_name = "jobs"
urlpatterns = [
    path("", jobs.jobs, name="jobs"),
    path("<uuid:pk>/", jobs.job, name="job"),
    path("<uuid:pk>/stop/", jobs.stop, name="stop"),
    path("<uuid:pk>/file/", jobs.file, name="file"),
]
