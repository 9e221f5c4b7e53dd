"""Gets token prices from Quintet, or watches them, with grpcio's asyncio API.

python prices_aio.py price|watch TOKEN...
"""

import asyncio
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import grpc
from google.rpc import error_details_pb2 as details
from grpc_status.rpc_status import GRPC_DETAILS_METADATA_KEY
from google.rpc.status_pb2 import Status

from quintet.tokenprice.v1 import token_price_pb2 as pb
from quintet.tokenprice.v1 import token_price_pb2_grpc as service

# The time limit of a call, including its retries.
TIMEOUT_SECONDS = 10


async def main() -> int:
    if len(sys.argv) < 3 or sys.argv[1] not in ("price", "watch"):
        print("usage: python prices_aio.py price|watch TOKEN...", file=sys.stderr)
        return 2
    command, tokens = sys.argv[1], sys.argv[2:]
    key = os.environ.get("QUINTET_KEY")
    metadata = [("x-gateway-key", key)] if key else []
    # One channel serves all calls of a program. It connects for the first call.
    async with connect() as channel:
        client = service.TokenPriceServiceStub(channel)
        try:
            if command == "price":
                request = pb.GetPricesRequest(tokens=tokens)
                print_prices(await client.GetPrices(request, timeout=TIMEOUT_SECONDS, metadata=metadata))
            else:
                # A stream has no deadline: it continues until one side ends it.
                async for change in client.WatchPrices(pb.WatchPricesRequest(tokens=tokens), metadata=metadata):
                    print_prices(change)
        except grpc.aio.AioRpcError as error:
            print_error(error)
            return 1
    return 0


def connect() -> grpc.aio.Channel:
    server = urlsplit(os.environ.get("QUINTET_URL", "http://127.0.0.1:8080"))
    # What is retried, and how often.
    options = [("grpc.service_config", Path("grpc-service-config.json").read_text())]
    if server.scheme == "https":
        return grpc.aio.secure_channel(server.netloc, grpc.ssl_channel_credentials(), options)
    return grpc.aio.insecure_channel(server.netloc, options)


def print_prices(answer) -> None:
    for result in answer.results:
        print(result.token, result.price, "USD", flush=True)
    for token in answer.missing:
        print(token, "has no price", flush=True)


def print_error(error: grpc.aio.AioRpcError) -> None:
    """Programs decide by the reason; the message is for people."""
    reason, more = error.code().name, []
    for detail in status_of(error).details:
        info, retry, quota, bad = details.ErrorInfo(), details.RetryInfo(), details.QuotaFailure(), details.BadRequest()
        if detail.Unpack(info):
            reason = info.reason
        elif detail.Unpack(retry):
            more.append(f"  retry after: {retry.retry_delay.ToTimedelta().total_seconds()} s")
        elif detail.Unpack(quota):
            more += [f"  quota: {violation.subject}" for violation in quota.violations]
        elif detail.Unpack(bad):
            more += [f"  field: {violation.field} {violation.description}" for violation in bad.field_violations]
    print(f"{reason}: {error.details()}", *more, sep="\n", file=sys.stderr)


def status_of(error: grpc.aio.AioRpcError) -> Status:
    for name, value in error.trailing_metadata() or ():
        if name == GRPC_DETAILS_METADATA_KEY:
            return Status.FromString(value)
    return Status()


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except KeyboardInterrupt:
        # asyncio.run() has cancelled the call.
        pass
