from accounts.models.access_requests import AccessRequest, Decision, Terms, TermsAcceptance
from accounts.models.events import Event
from accounts.models.users import Role, Suspension, User

__all__ = [
    "AccessRequest",
    "Decision",
    "Event",
    "Role",
    "Suspension",
    "Terms",
    "TermsAcceptance",
    "User",
]
