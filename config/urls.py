"""One include an app."""

from django.urls import include, path

handler403 = "accounts.views.errors.forbidden"

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("accounts.urls")),
    path("", include("annotation.urls")),
    path("", include("judging.urls")),
    path("", include("analytics.urls")),
]
