"""Gets token prices from Quintet, or watches them, with grpcio.

python prices.py price|watch TOKEN...
"""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import grpc
from google.rpc import error_details_pb2 as details
from grpc_status import rpc_status

from quintet.tokenprice.v1 import token_price_pb2 as pb
from quintet.tokenprice.v1 import token_price_pb2_grpc as service

# The time limit of a call, including its retries.
TIMEOUT_SECONDS = 10


def main() -> int:
    if len(sys.argv) < 3 or sys.argv[1] not in ("price", "watch"):
        print("usage: python prices.py price|watch TOKEN...", file=sys.stderr)
        return 2
    command, tokens = sys.argv[1], sys.argv[2:]
    key = os.environ.get("QUINTET_KEY")
    metadata = [("x-gateway-key", key)] if key else []
    # One channel serves all calls of a program. It connects for the first call.
    with connect() as channel:
        client = service.TokenPriceServiceStub(channel)
        try:
            if command == "price":
                print_prices(client.GetPrices(pb.GetPricesRequest(tokens=tokens), timeout=TIMEOUT_SECONDS, metadata=metadata))
            else:
                watch(client, tokens, metadata)
        except grpc.RpcError as error:
            print_error(error)
            return 1
    return 0


def connect() -> grpc.Channel:
    server = urlsplit(os.environ.get("QUINTET_URL", "http://127.0.0.1:8080"))
    # What is retried, and how often.
    options = [("grpc.service_config", Path("grpc-service-config.json").read_text())]
    if server.scheme == "https":
        return grpc.secure_channel(server.netloc, grpc.ssl_channel_credentials(), options)
    return grpc.insecure_channel(server.netloc, options)


def watch(client, tokens, metadata) -> None:
    # A stream has no deadline: it continues until one side ends it.
    stream = client.WatchPrices(pb.WatchPricesRequest(tokens=tokens), metadata=metadata)
    try:
        for change in stream:
            print_prices(change)
    except KeyboardInterrupt:
        stream.cancel()


def print_prices(answer) -> None:
    for result in answer.results:
        print(result.token, result.price, "USD", flush=True)
    for token in answer.missing:
        print(token, "has no price", flush=True)


def print_error(error: grpc.RpcError) -> None:
    """Programs decide by the reason; the message is for people."""
    reason, more = error.code().name, []
    status = rpc_status.from_call(error)
    for detail in status.details if status else []:
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


if __name__ == "__main__":
    sys.exit(main())
