"""One include an app."""

from django.urls import include, path

urlpatterns = [
    path("", include("accounts.urls")),
    path("", include("annotation.urls")),
    path("", include("judging.urls")),
    path("", include("analytics.urls")),
]
