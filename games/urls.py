"""URLs of the game, under /play/."""

from django.urls import path

from games.views import daily, lobby, play, replay

app_name = "play"
urlpatterns = [
    path("", lobby.lobby, name="lobby"),
    path("find/", lobby.find_table, name="find"),
    path("open/<slug:way>/", lobby.open_table, name="open"),
    path("daily/<slug:deck>/", daily.puzzle, name="daily"),
    path("daily/<slug:deck>/find/", daily.find, name="daily-find"),
    path("daily/<slug:deck>/picture.png", daily.picture, name="daily-picture"),
    path("<slug:code>/", play.table, name="table"),
    path("<slug:code>/replay/", replay.replay, name="replay"),
    path("<slug:code>/join/", play.join, name="join"),
    path("<slug:code>/deal/", play.deal, name="deal"),
    path("<slug:code>/call/", play.call, name="call"),
    path("<slug:code>/pick/", play.pick, name="pick"),
    path("<slug:code>/withdraw/", play.withdraw, name="withdraw"),
    path("<slug:code>/no-set/", play.no_set, name="no-set"),
    path("<slug:code>/take-back/", play.take_back, name="take-back"),
    path("<slug:code>/leave/", play.leave, name="leave"),
    path("<slug:code>/again/", lobby.play_again, name="again"),
    path("<slug:code>/hint/", play.help_me, name="hint"),
]
