"""Where the pages of this app are."""

from django.urls import path

from accounts.views import health, styleguide

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("styleguide/", styleguide.styleguide, name="styleguide"),
]
