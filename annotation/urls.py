"""Where the pages of this app are."""

from django.urls import path

from annotation.views import home

urlpatterns = [
    path("", home.home, name="home"),
]
