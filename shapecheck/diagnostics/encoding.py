"""The text of a Python file: in UTF-8, or in the encoding that one of its first two lines declares (PEP 263)."""

from __future__ import annotations


class EncodingError(Exception):
    """A file that cannot be decoded; the message says why, and `row` where."""

    def __init__(self, message: str, row: int = 1) -> None:
        super().__init__(message)
        self.row = row


def decoded(content: bytes) -> str:
    """Return the text of a Python file, in UTF-8 or in the encoding that one of its first two lines declares.

    Raises:
        EncodingError: the encoding is none, or not that of the content.
    """
    encoding = _encoding(content)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        # Its object may lack the byte order mark.
        row = error.object.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{error.object[error.start]:02x}"
        if encoding == "utf-8-sig":
            raise EncodingError(f"is not UTF-8 ({byte}); save it as UTF-8 or declare its encoding", row) from error
        raise EncodingError(f"is not {encoding} ({byte}), which it declares to be", row) from error
    except (LookupError, ValueError) as error:
        raise EncodingError(f"declares an encoding that is not one of text: {encoding}") from error


def _encoding(content: bytes) -> str:
    """The codec for a file, by the rules of PEP 263; that of UTF-8 takes a byte order mark away.

    Raises:
        EncodingError: what it declares is no encoding, or contradicts its byte order mark.
    """
    end = content.find(b"\n", content.find(b"\n") + 1)
    head = content if end < 0 else content[:end]
    if b"coding" not in head:
        return "utf-8-sig"
    import io
    import tokenize

    marked = head.startswith(b"\xef\xbb\xbf")
    # What is not ASCII is beside the point, and in whatever encoding is declared.
    plain = head.removeprefix(b"\xef\xbb\xbf").decode("ascii", "replace").replace("\r", "\n").encode("ascii", "replace")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(plain).readline)
    except SyntaxError as error:
        raise EncodingError(f"declares an {error}") from error
    if encoding == "utf-8":
        return "utf-8-sig"
    if marked:
        raise EncodingError(f"begins with a UTF-8 byte order mark, so its coding line must say utf-8, not {encoding}")
    return encoding
