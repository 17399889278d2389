"""An endpoint is sent texts only where its certificate is one that the system trusts."""

import asyncio
import ssl
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from judging.prompts import Prompt
from judging.providers import endpoint
from judging.providers.batches import BatchDesk
from judging.providers.endpoint import Address, Endpoint, Sampling
from judging.providers.faults import Transient
from tests.judging.conftest import Scripted

HERE = x509.IPAddress(ip_address("127.0.0.1"))
ELSEWHERE = x509.DNSName("llm.example.org")
SAMPLING = Sampling(llm="echo", temperature=None, max_tokens=None)
PROMPT = Prompt(messages=({"role": "user", "content": "I cannot sleep."},), schema=None)


@pytest.fixture
def certified(tmp_path):
    """certified(HERE) is an endpoint with a certificate for that, signed by itself."""

    @contextmanager
    def started(host):
        server, context = Scripted(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate_in(tmp_path, host))
        server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
        try:
            yield server
        finally:
            server.close()

    return started


@pytest.fixture
def believed(tmp_path):
    """believed() has the system trust the certificate, as who runs the server could."""
    endpoint.trusted.cache_clear()
    yield lambda: endpoint.trusted().load_verify_locations(tmp_path / "endpoint.pem")
    endpoint.trusted.cache_clear()


def certificate_in(folder, host):
    key, now = Ed25519PrivateKey.generate(), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "endpoint")])
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([host]), critical=False)
        .sign(key, None)
    )
    path = folder / "endpoint.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + signed.public_bytes(Encoding.PEM))
    return path


def by_request(address):
    async def asked():
        async with Endpoint(address, SAMPLING, connections=1) as one:
            return await one.ask(PROMPT)

    return asyncio.run(asked())["text"]


def by_batch(address):
    with BatchDesk(address) as desk:
        return desk.look("of-nobody") is None


WAYS = pytest.mark.parametrize("ask", [by_request, by_batch])


def over_tls(server):
    secure = server.base_url.replace("http:", "https:")
    return Address(base_url=secure, api_key="none", timeout=10)


@WAYS
def test_what_the_system_trusts_is_asked(certified, believed, ask):
    with certified(HERE) as server:
        believed()

        assert ask(over_tls(server))


@WAYS
def test_a_certificate_that_only_the_environment_names_is_refused(
    certified, believed, monkeypatch, tmp_path, ask
):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "endpoint.pem"))
    with certified(HERE) as server, pytest.raises(Transient, match="connection"):
        ask(over_tls(server))

    assert server.requests == []


@WAYS
def test_a_trusted_certificate_of_another_host_is_refused(certified, believed, ask):
    with certified(ELSEWHERE) as server:
        believed()
        with pytest.raises(Transient, match="connection"):
            ask(over_tls(server))

    assert server.requests == []
