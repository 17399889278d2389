"""One include an app."""

from django.urls import include, path

from accounts.views import again

handler400 = "accounts.views.errors.unreadable"
handler403 = "accounts.views.errors.forbidden"
handler404 = "accounts.views.errors.not_found"
handler429 = "accounts.views.errors.too_many"
handler500 = "accounts.views.errors.failed"

# Asked from the top at each request, so the pages on which people work come first.
urlpatterns = [
    path("", include("annotation.urls")),
    # One by one: allauth.urls has redirects without a name besides.
    path("accounts/password/set/", again.first_password, name="account_set_password"),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("accounts/3rdparty/", include("allauth.socialaccount.urls")),
    path("accounts/", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("accounts/sessions/", include("allauth.usersessions.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("accounts.urls")),
    path("", include("judging.urls")),
    path("", include("analytics.urls")),
]
