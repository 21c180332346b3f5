# verify_webhook.py; pip install standardwebhooks
from standardwebhooks import Webhook, WebhookVerificationError


def event_of(body, headers, secret):
    """Returns the event; None if its signature is not valid. body: the received bytes; headers: names and values."""
    key = secret if secret.startswith("whsec_") else secret.encode()
    try:
        return Webhook(key).verify(body, dict(headers))
    except WebhookVerificationError:
        return None
