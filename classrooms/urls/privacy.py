"""Privacy pages: what we store and for how long, export, deletion and undo."""

from django.urls import path

from classrooms.views import privacy

app_name = "privacy"
urlpatterns = [
    path("", privacy.page, name="page"),
    path("for-children/", privacy.children, name="children"),
    path("me/export/", privacy.export_me, name="export-me"),
    path("me/delete/", privacy.delete_me, name="delete-me"),
    path("me/undo/<str:token>/", privacy.undo_me, name="undo-me"),
    path("undo/", privacy.undo, name="undo"),
    path("child/<int:pk>/export/", privacy.export_child, name="export-child"),
    path("child/<int:pk>/delete/", privacy.delete_child, name="delete-child"),
    path("child/<int:pk>/undo/", privacy.undo_child, name="undo-child"),
    path("class/<int:pk>/export/", privacy.export_class, name="export-class"),
    path("class/<int:pk>/delete/", privacy.delete_class, name="delete-class"),
    path("class/<int:pk>/undo/", privacy.undo_class, name="undo-class"),
    path("class/<int:pk>/log/", privacy.log, name="log"),
]
