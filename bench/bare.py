"""The least that Django can do for a submission: one view, one indexed insert, no middleware."""

import os
from uuid import uuid4

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path

TABLE = "CREATE TABLE IF NOT EXISTS bench_bare (id bigserial PRIMARY KEY, key uuid UNIQUE)"


def insert(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bench_bare (key) VALUES (%s)", [uuid4()])
    return HttpResponse("ok")


urlpatterns = [path("", insert)]


def bare_application() -> WSGIHandler:
    """Concord's settings and database with everything taken away that a bare view can do without."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    django.setup()
    settings.MIDDLEWARE = []
    settings.ROOT_URLCONF = __name__
    return WSGIHandler()
