"""A password hasher that says how often it was asked."""

from typing import ClassVar

from django.contrib.auth.hashers import MD5PasswordHasher


class CountingHasher(MD5PasswordHasher):
    n_asked: ClassVar[int] = 0

    def encode(self, password: str, salt: str) -> str:
        type(self).n_asked += 1
        return super().encode(password, salt)
