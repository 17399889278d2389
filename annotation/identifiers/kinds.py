"""The kinds of identifiers that are looked for."""

from enum import StrEnum


class IdentifierKind(StrEnum):
    """Where two kinds claim the same place, the first named here has it."""

    RESIDENT_ID = "resident_id"
    SSN = "ssn"
    CARD = "card"
    EMAIL = "email"
    CHAT = "chat"
    PHONE = "phone"
    ADDRESS = "address"
    NAME = "name"
