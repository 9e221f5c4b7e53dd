"""A client for Quintet's data services over gRPC. Methods, requests and responses are generated from the protos."""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import grpc
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from ._generated import *  # noqa: F403 - a module of messages for each service
from ._generated import SERVICE_CONFIG, TIMEOUTS, Services

Request = TypeVar("Request", bound=Message)
Result = TypeVar("Result", covariant=True)


class Quintet(Services):
    """A client for each data service. It connects at the first call. Close it, or use it with `with`."""

    def __init__(self, url: str, key: str, credentials: grpc.ChannelCredentials | None = None) -> None:
        """`url` is the server's, such as `https://api.example.com`. `credentials` trust an authority of your own.

        ValueError if the URL or the key cannot be one.
        """
        server = urlsplit(url)
        if server.scheme not in ("http", "https") or not server.hostname or "@" in server.netloc or server.path.strip("/"):
            raise ValueError(f"url must look like https://api.example.com, and is {url!r}")
        if not (key.isascii() and key.isprintable()):
            raise ValueError("key must have printable ASCII characters only; is there a line break at its end?")
        # gRPC retries calls that fail temporarily, as the service config says.
        options = [("grpc.service_config", SERVICE_CONFIG)]
        # gRPC itself would use port 443 for both.
        target = server.netloc if server.port else f"{server.netloc}:{443 if server.scheme == 'https' else 80}"
        if server.scheme == "https":
            self._channel = grpc.secure_channel(target, credentials or grpc.ssl_channel_credentials(), options)
        else:
            self._channel = grpc.insecure_channel(target, options)
        super().__init__(grpc.intercept_channel(self._channel, _Prepare(key)))

    def close(self) -> None:
        """Ends open calls and streams, and disconnects."""
        self._channel.close()

    def __enter__(self) -> "Quintet":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Prepare(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):  # type: ignore[misc]
    """Adds the key, and the deadline of the service config if the caller sets none."""

    def __init__(self, key: str) -> None:
        self._key = ("x-gateway-key", key)

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        # gRPC takes any missing attributes from the call.
        details: Any = grpc.ClientCallDetails()
        given = client_call_details.timeout
        details.timeout = TIMEOUTS.get(client_call_details.method) if given is None else given
        details.metadata = (*(client_call_details.metadata or ()), self._key)
        return continuation(details, request)

    intercept_unary_stream = intercept_unary_unary


class Page(Protocol[Result]):
    """A response with one page of results."""

    @property
    def results(self) -> Sequence[Result]: ...
    @property
    def next_offset(self) -> int: ...
    def HasField(self, field_name: Any) -> bool: ...  # noqa: N802 - protobuf's own name


def results(list_page: Callable[[Request], Page[Result]], request: Request) -> Iterator[Result]:
    """The results of all pages, one by one. Each page is a call."""
    following: Any = copy.deepcopy(request)
    while True:
        page = list_page(following)
        yield from page.results
        if not page.HasField("next_offset"):
            return
        following.offset = page.next_offset


def reason_of(error: grpc.RpcError) -> str | None:
    """The reason of a failed call, such as `QUOTA_EXCEEDED`; None if the failure is not the server's."""
    status, info = rpc_status.from_call(error), ErrorInfo()
    return next((info.reason for detail in (status.details if status else ()) if detail.Unpack(info)), None)
