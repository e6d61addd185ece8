"""The students of a class: the register, lists to read in, and login cards. Part of the teachers' pages."""

from django.urls import path

from classrooms.views import roster

urlpatterns = [
    path("<int:pk>/students/", roster.roster, name="roster"),
    path("<int:pk>/students/paste/", roster.paste_names, name="roster-paste"),
    path("<int:pk>/students/import/", roster.upload_file, name="roster-import"),
    path("<int:pk>/students/import/<int:plan>/", roster.plan, name="roster-plan"),
    path("<int:pk>/students/import/<int:plan>/choose/", roster.choose, name="roster-choose"),
    path("<int:pk>/students/import/<int:plan>/apply/", roster.apply, name="roster-apply"),
    path("<int:pk>/students/import/<int:plan>/cancel/", roster.cancel, name="roster-cancel"),
    path("<int:pk>/students/codes/", roster.codes, name="codes"),
    path("<int:pk>/students/<int:enrolment>/edit/", roster.student, name="student-edit"),
    path("<int:pk>/students/<int:enrolment>/pictures/", roster.student_pictures, name="student-pictures"),
    path("<int:pk>/students/<int:enrolment>/reset/", roster.reset, name="student-reset"),
    path("<int:pk>/students/<int:enrolment>/move/", roster.move, name="student-move"),
    path("<int:pk>/students/<int:enrolment>/move/cancel/", roster.cancel_hand_over, name="hand-over-cancel"),
    path("<int:pk>/hand-overs/<int:offer>/accept/", roster.accept_hand_over, name="hand-over-accept"),
    path("<int:pk>/hand-overs/<int:offer>/decline/", roster.decline_hand_over, name="hand-over-decline"),
    path("<int:pk>/students/<int:enrolment>/remove/", roster.remove, name="student-remove"),
    path("<int:pk>/students/<int:enrolment>/code/", roster.code, name="student-code"),
    path("<int:pk>/students/<int:enrolment>/guardians/<int:link>/end/", roster.unlink, name="student-unlink"),
    path("<int:pk>/cards/", roster.cards, name="cards"),
]
