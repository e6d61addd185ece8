"""Printable decks, worksheets and certificates, under /print/."""

from django.urls import path

from classrooms.views import printing

app_name = "print"
urlpatterns = [
    path("", printing.home, name="home"),
    path("deck/", printing.deck, name="deck"),
    path("worksheet/", printing.worksheet, name="worksheet"),
    path("certificate/", printing.certificate, name="certificate"),
    path("certificates/<int:pk>/", printing.certificates, name="certificates"),
]
