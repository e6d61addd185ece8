"""Security headers for every response: pages, streams, files and errors alike."""

from __future__ import annotations

from django.conf import settings

from core.http.wsgi_adapter import Message, Send

# Browser features that none of our pages needs.
_UNUSED = (
    "accelerometer browsing-topics camera display-capture encrypted-media geolocation gyroscope hid "
    "identity-credentials-get idle-detection local-fonts magnetometer microphone midi payment "
    "publickey-credentials-create publickey-credentials-get serial usb window-management xr-spatial-tracking"
)
_ALWAYS = {
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": ", ".join(f"{each}=()" for each in _UNUSED.split()).encode(),
    b"referrer-policy": settings.SECURE_REFERRER_POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": settings.X_FRAME_OPTIONS.encode(),
}
if settings.SECURE_HSTS_SECONDS:
    _ALWAYS[b"strict-transport-security"] = b"max-age=%d; includeSubDomains; preload" % settings.SECURE_HSTS_SECONDS


def safe(send: Send) -> Send:
    """Add the security headers that a response doesn't set itself."""

    async def send_safely(message: Message) -> None:
        if message["type"] == "http.response.start":
            said = {name for name, _value in message["headers"]}
            more = [(name, value) for name, value in _ALWAYS.items() if name not in said]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return send_safely
