"""The teacher's pages of a live lesson."""

from django.urls import path

from classrooms.views import leading

app_name = "lead"
urlpatterns = [
    path("open/<int:pk>/", leading.open_session, name="open"),
    path("<slug:code>/remote/", leading.remote, name="remote"),
    path("<slug:code>/remote/part/", leading.remote_news, name="remote-part"),
    path("<slug:code>/screen/", leading.projector, name="projector"),
    path("<slug:code>/screen/part/", leading.projector_part, name="projector-part"),
    path("<slug:code>/do/<slug:order>/", leading.order, name="order"),
    path("<slug:code>/end/", leading.ask_to_end, name="end"),
    path("<slug:code>/teams/", leading.teams, name="teams"),
    path("<slug:code>/paper-seats/", leading.paper_seats, name="paper-seats"),
    path("<slug:code>/guests/<int:waiting>/admit/", leading.admit, name="admit"),
    path("<slug:code>/seat/<int:number>/<slug:order>/", leading.seat, name="seat"),
    path("<slug:code>/begin/<slug:kind>/", leading.begin, name="begin"),
    path("<slug:code>/steer/<slug:order>/", leading.steer, name="steer"),
    path("<slug:code>/report/", leading.report, name="report"),
    path("<slug:code>/report.csv", leading.report_csv, name="report-csv"),
    path("<slug:code>/report.xlsx", leading.report_xlsx, name="report-xlsx"),
    path("<slug:code>/paper.pdf", leading.paper, name="paper"),
]
