from accounts.models.access_requests import AccessRequest, Decision, Terms, TermsAcceptance
from accounts.models.events import Event
from accounts.models.ledger import RowDigest, Seal, Unsealed
from accounts.models.tokens import ApiToken, ApiWrite, Scope
from accounts.models.users import Role, Suspension, User

__all__ = [
    "AccessRequest",
    "ApiToken",
    "ApiWrite",
    "Decision",
    "Event",
    "Role",
    "RowDigest",
    "Scope",
    "Seal",
    "Suspension",
    "Terms",
    "TermsAcceptance",
    "Unsealed",
    "User",
]
