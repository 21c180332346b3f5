# service_signature.py
import hashlib
import hmac


def is_signed(body, headers, *secrets):
    """Whether one of the secrets signed it. body: the bytes as they came; headers: by lower-case names."""
    given = headers.get("service-signature", "").encode()
    return any(
        hmac.compare_digest(given, b"sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode())
        for secret in secrets
    )
