"""How a request gets the account that its session names."""

from allauth.account.auth_backends import AuthenticationBackend

from accounts.access import account_and_facts
from accounts.models import User


class Backend(AuthenticationBackend):
    def get_user(self, user_id: int) -> User | None:
        """The account, with the `facts` that the gate asks for next: one look-up a request."""
        known = account_and_facts(user_id)
        if known is None:
            return None
        account, facts = known
        account.facts = facts
        return account if self.user_can_authenticate(account) else None
