"""Clients for Quintet's data services over gRPC. Methods, requests and responses are generated from the protos."""

import copy
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import grpc
import grpc.aio
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from ._generated import *  # noqa: F403 - a module of messages for each service
from ._generated import SERVICE_CONFIG, TIMEOUTS, AsyncServices, Services

Request = TypeVar("Request", bound=Message)
Result = TypeVar("Result", covariant=True)


class Quintet(Services):
    """A client for each data service. It connects at the first call. Close it, or use it with `with`."""

    def __init__(self, url: str, key: str, credentials: grpc.ChannelCredentials | None = None) -> None:
        """`url` is the server's, such as `https://api.example.com`. `credentials` trust an authority of your own.

        ValueError if the URL or the key cannot be one.
        """
        self._channel: grpc.Channel = _open(grpc, url, key, credentials)
        super().__init__(grpc.intercept_channel(self._channel, _Prepare(key)))

    def close(self) -> None:
        """Ends open calls and streams, and disconnects."""
        self._channel.close()

    def __enter__(self) -> "Quintet":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncQuintet(AsyncServices):
    """The same for asyncio: its methods are awaited, and its streams read with `async for`. Close it, or use it with `async with`."""

    def __init__(self, url: str, key: str, credentials: grpc.ChannelCredentials | None = None) -> None:
        """As for `Quintet`. Create it where the event loop runs."""
        self._channel: grpc.aio.Channel = _open(grpc.aio, url, key, credentials)
        prepared: Any = _AsyncChannel(self._channel, key)
        super().__init__(prepared)

    async def close(self) -> None:
        """Ends open calls and streams, and disconnects."""
        await self._channel.close()

    async def __aenter__(self) -> "AsyncQuintet":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _open(api: Any, url: str, key: str, credentials: grpc.ChannelCredentials | None) -> Any:
    """A channel of `grpc` or `grpc.aio`."""
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
        return api.secure_channel(target, credentials or grpc.ssl_channel_credentials(), options)
    return api.insecure_channel(target, options)


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

    def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return _Stream(self.intercept_unary_unary(continuation, client_call_details, request))


class _AsyncChannel:
    """The same for asyncio, whose interceptors keep a stream that was left."""

    def __init__(self, channel: grpc.aio.Channel, key: str) -> None:
        self._channel = channel
        self._key = ("x-gateway-key", key)

    def unary_unary(self, path: str, **coders: Any) -> Any:
        return self._prepared(path, self._channel.unary_unary(path, **coders))

    def unary_stream(self, path: str, **coders: Any) -> Any:
        start = self._prepared(path, self._channel.unary_stream(path, **coders))
        return lambda *args, **options: _Stream(start(*args, **options))

    def _prepared(self, path: str, call: Any) -> Any:
        def start(request: Message, *, timeout: float | None = None, metadata: Any = None, **options: Any) -> Any:
            own = TIMEOUTS.get(path) if timeout is None else timeout
            return call(request, timeout=own, metadata=(*(metadata or ()), self._key), **options)

        return start


class _Stream:
    """The call of a stream, which ends with a loop over it."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)

    def __next__(self) -> Any:
        return next(self._call)

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self._call
        finally:
            self._call.cancel()

    async def __aiter__(self) -> AsyncIterator[Any]:
        try:
            async for message in self._call:
                yield message
        finally:
            self._call.cancel()


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


async def async_results(list_page: Callable[[Request], Awaitable[Page[Result]]], request: Request) -> AsyncIterator[Result]:
    """The same for asyncio."""
    following: Any = copy.deepcopy(request)
    while True:
        page = await list_page(following)
        for result in page.results:
            yield result
        if not page.HasField("next_offset"):
            return
        following.offset = page.next_offset


def reason_of(error: grpc.RpcError) -> str | None:
    """The reason of a failed call, such as `QUOTA_EXCEEDED`; None if the failure is not the server's."""
    status, info = rpc_status.from_call(error), ErrorInfo()
    return next((info.reason for detail in (status.details if status else ()) if detail.Unpack(info)), None)
