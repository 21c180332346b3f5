# service_signature.py
import hashlib
import hmac


def is_signed(body, headers, *secrets):
    """Returns whether one of the secrets signed the request. body: the received bytes; headers: by lower-case names."""
    given = headers.get("service-signature", "").encode()
    return any(
        hmac.compare_digest(given, b"sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode())
        for secret in secrets
    )
