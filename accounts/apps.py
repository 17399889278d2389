from django.apps import AppConfig
from django.db.backends.signals import connection_created

from accounts.ledger.governed import Governed
from accounts.ledger.marks import introduce

_TERMS = (
    *("id", "number", "title_en", "title_zh_hans", "body_en", "body_zh_hans", "sha256"),
    *("valid_days", "published_at"),
)


class AccountsConfig(AppConfig):
    name = "accounts"
    trigger_functions = {
        "accounts_refuse_change": "15bd82690ecaeb525d5e151332575e66358e7b37907955046642895b2a02b766",
    }
    governed = (
        Governed(
            table="accounts_user",
            columns=(
                *("id", "password", "email", "full_name", "affiliation", "roles", "is_active"),
                *("date_joined", "approved_until"),
            ),
        ),
        Governed(
            table="accounts_suspension",
            columns=(
                *("id", "user_id", "suspended_at", "suspended_by_id", "reason"),
                *("reinstated_at", "reinstated_by_id"),
            ),
        ),
        Governed(table="accounts_terms", may_change=("id",), columns=_TERMS),
        Governed(
            table="accounts_terms", edition=2, may_change=("id",), columns=(*_TERMS, "resign_by")
        ),
        Governed(
            table="accounts_terms",
            edition=3,
            may_change=("id",),
            columns=(*_TERMS, "resign_by", "texts"),
        ),
        Governed(
            table="accounts_termsacceptance",
            may_change=(),
            columns=(
                *("id", "user_id", "terms_id", "typed_name", "affiliation", "language"),
                *("text_sha256", "accepted_at", "effective_until"),
            ),
        ),
        Governed(
            table="accounts_accessrequest",
            columns=(
                *("id", "user_id", "purpose", "requested_at", "decision", "decided_at"),
                *("decided_by_id", "reason", "granted_until"),
            ),
        ),
        # What somebody acts as an account with.
        Governed(
            table="accounts_apitoken",
            may_change=("id", "revoked_at"),
            columns=(
                *("id", "user_id", "name", "scopes", "sha256", "made_at", "expires_at"),
                *("revoked_at",),
            ),
        ),
        Governed(
            table="mfa_authenticator", columns=("id", "user_id", "type", "data", "created_at")
        ),
        Governed(
            table="account_emailaddress",
            columns=("id", "user_id", "email", "verified", "primary"),
        ),
        Governed(
            table="socialaccount_socialaccount",
            columns=("id", "user_id", "provider", "uid", "date_joined"),
        ),
        Governed(
            table="socialaccount_socialapp",
            columns=(
                *("id", "provider", "provider_id", "name", "client_id", "secret", "key"),
                *("settings",),
            ),
        ),
    )

    def ready(self) -> None:
        from accounts import sign_ins  # noqa: PLC0415 -- it needs the models, which are there now
        from accounts.operations import heartbeat  # noqa: PLC0415 -- Celery waits for settings

        connection_created.connect(introduce, dispatch_uid="accounts.ledger")
        sign_ins.listen()
        heartbeat.listen()
