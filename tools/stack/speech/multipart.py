"""A minimal parser of multipart/form-data. The whole body is in memory, and its size is already limited."""

from email.message import Message


class BadMultipart(ValueError):
    """The body is not a multipart form. The message is for the client."""


def parse(content_type, body):
    """Returns {field name: [value bytes, …]} of a form. Raises BadMultipart."""
    header = Message()
    header["Content-Type"] = content_type
    boundary = header.get_boundary()
    if header.get_content_type() != "multipart/form-data" or not boundary:
        raise BadMultipart("Content-Type must be multipart/form-data with a boundary.")
    # Only the first boundary has no line end before it.
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary.encode("latin-1"))
    if len(parts) < 2 or not parts[-1].startswith(b"--"):
        raise BadMultipart("Could not parse multipart form: it has no end.")
    fields = {}
    for part in parts[1:-1]:
        head, blank, value = part.partition(b"\r\n\r\n")
        name = field_name(head)
        if blank and name:
            fields.setdefault(name, []).append(value)
    return fields


def field_name(head):
    for line in head.decode("utf-8", "replace").split("\r\n"):
        key, _, value = line.partition(":")
        if key.strip().lower() == "content-disposition":
            header = Message()
            header["Content-Disposition"] = value.strip()
            name = header.get_param("name", header="content-disposition")
            return name if isinstance(name, str) else None
    return None
