"""The WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

from config.celery import app as celery_app

celery_app.set_default()  # in every thread, or the pages queue their work nowhere
application = get_wsgi_application()
