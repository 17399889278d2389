"""Where the pages of this app are."""

from django.urls import path

from accounts.views import access, health, people, requests, styleguide, terms, trail

urlpatterns = [
    path("access/", access.status, name="access"),
    path("access/sign/", terms.sign, name="sign"),
    path("access/request/", access.ask, name="ask"),
    path("access/terms/<int:number>/", terms.edition, name="terms"),
    path("access/receipts/<int:acceptance_id>/", terms.receipt, name="receipt"),
    path("access/receipts/<int:acceptance_id>/text/", terms.receipt_text, name="receipt_text"),
    path("access/requests/", requests.queue, name="access_requests"),
    path("access/requests/<int:request_id>/", requests.one, name="access_request"),
    path("access/requests/<int:request_id>/approve/", requests.approve, name="approve_request"),
    path("access/requests/<int:request_id>/refuse/", requests.refuse, name="refuse_request"),
    path("access/accounts/", people.accounts, name="accounts"),
    path("access/accounts/<int:account_id>/", people.account, name="account"),
    path("access/accounts/<int:account_id>/suspend/", people.suspend, name="suspend_account"),
    path("access/accounts/<int:account_id>/reinstate/", people.reinstate, name="reinstate_account"),
    path("access/accounts/<int:account_id>/roles/", people.set_roles, name="set_roles"),
    path("access/events/", trail.events, name="events"),
    path("healthz", health.healthz, name="healthz"),
    path("styleguide/", styleguide.styleguide, name="styleguide"),
]
