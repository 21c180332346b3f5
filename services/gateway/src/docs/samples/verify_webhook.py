# verify_webhook.py; pip install standardwebhooks
from standardwebhooks import Webhook, WebhookVerificationError


def event_of(body, headers, secret):
    """The event, or None where it is not to be believed. body: the bytes as they came; headers: names and values."""
    key = secret if secret.startswith("whsec_") else secret.encode()
    try:
        return Webhook(key).verify(body, dict(headers))
    except WebhookVerificationError:
        return None
