"""Where the pages of this app are."""

from django.urls import path

from accounts.api import description
from accounts.api import people as api
from accounts.views import (
    access,
    again,
    first_run,
    health,
    people,
    requests,
    styleguide,
    terms,
    tokens,
    trail,
)

urlpatterns = [
    path("access/", access.status, name="access"),
    path("access/sign/", terms.sign, name="sign"),
    path("access/request/", access.ask, name="ask"),
    path("access/terms/<int:number>/", terms.edition, name="terms"),
    path("access/receipts/<int:acceptance_id>/", terms.receipt, name="receipt"),
    path("access/receipts/<int:acceptance_id>/text/", terms.receipt_text, name="receipt_text"),
    path(
        "access/receipts/<int:acceptance_id>/signed/", terms.signed_receipt, name="signed_receipt"
    ),
    path("access/receipts/verifier/", terms.receipt_verifier, name="receipt_verifier"),
    path("access/requests/", requests.queue, name="access_requests"),
    path("access/requests/<int:request_id>/", requests.one, name="access_request"),
    path("access/requests/<int:request_id>/approve/", requests.approve, name="approve_request"),
    path("access/requests/<int:request_id>/refuse/", requests.refuse, name="refuse_request"),
    path("access/accounts/", people.accounts, name="accounts"),
    path("access/accounts/<int:account_id>/", people.account, name="account"),
    path("access/accounts/<int:account_id>/suspend/", people.suspend, name="suspend_account"),
    path("access/accounts/<int:account_id>/reinstate/", people.reinstate, name="reinstate_account"),
    path("access/accounts/<int:account_id>/roles/", people.set_roles, name="set_roles"),
    path("api/v1/access/requests/", api.AccessRequests.as_view(), name="api_access_requests"),
    path(
        "api/v1/access/requests/<int:request_id>/",
        api.AccessAsked.as_view(),
        name="api_access_request",
    ),
    path(
        "api/v1/access/requests/<int:request_id>/decide/",
        api.AccessDecided.as_view(),
        name="api_access_decide",
    ),
    path("api/v1/access/accounts/", api.Accounts.as_view(), name="api_accounts"),
    path(
        "api/v1/access/accounts/<int:account_id>/suspend/",
        api.AccountSuspended.as_view(),
        name="api_account_suspend",
    ),
    path(
        "api/v1/access/accounts/<int:account_id>/reinstate/",
        api.AccountReinstated.as_view(),
        name="api_account_reinstate",
    ),
    path(
        "api/v1/access/accounts/<int:account_id>/roles/",
        api.AccountRoles.as_view(),
        name="api_account_roles",
    ),
    path("access/events/", trail.events, name="events"),
    path("api/v1/", description.page, name="api_docs"),
    path("api/v1/schema/", description.document, name="api_schema"),
    path("access/tokens/", tokens.every, name="tokens"),
    path("access/tokens/<int:token_id>/revoke/", tokens.revoke, name="revoke_token"),
    path("access/again/", again.again, name="again"),
    path("access/again/there/", again.there, name="again_there"),
    path("access/server/", health.server, name="server"),
    path("first-run/", first_run.first_run, name="first_run"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("styleguide/", styleguide.styleguide, name="styleguide"),
]
