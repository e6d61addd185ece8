"""Reports on classes and students, and assignments. Part of the teachers' pages."""

from django.urls import path

from classrooms.views import reports

urlpatterns = [
    path("<int:pk>/", reports.overview, name="class"),
    path("<int:pk>/print/", reports.print_view, name="print"),
    path("<int:pk>/report.csv", reports.report_csv, name="report-csv"),
    path("<int:pk>/report.xlsx", reports.report_xlsx, name="report-xlsx"),
    path("<int:pk>/students/<int:enrolment>/", reports.student, name="student"),
    path("<int:pk>/ledger/", reports.ledger, name="ledger"),
    path("<int:pk>/assignments/", reports.assignments, name="assignments"),
    path("<int:pk>/assignments/new/<slug:task>/", reports.assign, name="assign"),
    path("<int:pk>/assignments/<int:assignment>/withdraw/", reports.withdraw, name="withdraw"),
]
