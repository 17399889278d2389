"""What somebody acts as an account with is noted in the ledger, whichever package keeps it."""

from django.db import migrations

from accounts.ledger.governed import first_editions


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0014_scope_of_admitting"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]

    operations = first_editions(
        "accounts",
        *("accounts_apitoken", "mfa_authenticator", "account_emailaddress"),
        *("socialaccount_socialaccount", "socialaccount_socialapp"),
    )
