"""URLs of the learning pages, under /learn/."""

from django.urls import path

from lessons.views import course, later, practice, sheet

app_name = "learn"
urlpatterns = [
    path("", course.home, name="home"),
    path("practice/", practice.practice, name="practice"),
    path("practice/ahead/", practice.ahead, name="ahead"),
    path("later/", later.later, name="later"),
    path("me/", practice.me, name="me"),
    path("sheet/<slug:kind>/<slug:code>/", sheet.sheet, name="sheet"),
    path("<slug:unit>/<slug:step>/", course.step, name="step"),
]
