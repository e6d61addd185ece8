import re
from playwright.sync_api import expect
from classrooms.demo import fill_demo
from classrooms.models import User, Enrolment
from tests.browser.players import give_session
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.conf import settings
def key_of(user):
    s=SessionStore(); s[SESSION_KEY]=str(user.pk); s[BACKEND_SESSION_KEY]=settings.AUTHENTICATION_BACKENDS[0]; s[HASH_SESSION_KEY]=user.get_session_auth_hash(); s.save(); return s.session_key
def test_x(site,new_context):
    fill_demo()
    t=new_context(viewport={"width":390,"height":844}); give_session(t,site,key_of(User.objects.get(email="rivera@demo.example")))
    remote=t.new_page(); remote.goto(site+"/teach/1/")
    remote.get_by_role("button",name="Start a lesson").click()
    code=re.search(r"session/(\w+)/remote",remote.url)[1]
    pc=new_context(viewport={"width":1280,"height":720}); give_session(pc,site,key_of(User.objects.get(email="rivera@demo.example")))
    proj=pc.new_page(); proj.goto(f"{site}/teach/session/{code}/screen/")
    devs=[]
    for e in Enrolment.objects.all()[:2]:
        c=new_context(viewport={"width":390,"height":844}); give_session(c,site,key_of(e.student)); d=c.new_page(); d.goto(f"{site}/session/{code}/"); devs.append(d)
    expect(proj.locator(".lobby-people li")).to_have_count(2)
    proj.screenshot(path="/tmp/shots/p_lobby.png")
    remote.screenshot(path="/tmp/shots/r_choose.png",full_page=True)
    remote.get_by_role("button",name="Begin").first.click()
    for d in devs: expect(d.get_by_text("Is it a SET?")).to_be_visible()
    devs[0].screenshot(path="/tmp/shots/d_q.png",full_page=True)
    devs[0].get_by_role("button",name="Yes").click()
    expect(proj.locator(".count")).to_contain_text("1 of 2")
    proj.screenshot(path="/tmp/shots/p_q.png")
    devs[1].get_by_role("button",name="color").click()
    expect(proj.locator(".count")).to_contain_text("Everybody")
    remote.get_by_role("button",name="Show the answer").click()
    expect(proj.locator(".bars")).to_be_visible()
    expect(devs[0].locator(".verdict")).to_be_visible()
    proj.screenshot(path="/tmp/shots/p_rev.png")
    devs[1].screenshot(path="/tmp/shots/d_rev.png",full_page=True)
    remote.screenshot(path="/tmp/shots/r_rev.png",full_page=True)
    remote.get_by_role("button",name="Eyes up").click()
    expect(devs[0].get_by_text("Eyes up!")).to_be_visible()
    remote.get_by_role("button",name="Go on").click()
    remote.get_by_role("button",name="End the lesson").click()
    expect(proj.locator(".debrief")).to_be_visible()
    proj.screenshot(path="/tmp/shots/p_over.png")
