# Calls the installed package quintet-client as its first argument says, and prints a line of JSON for each call. With `async` as the second,
# it uses asyncio.
import asyncio
import json
import os
import sys
import time
import urllib.request
from concurrent import futures

import grpc
import quintet_client
from google.protobuf import json_format
from quintet_client import AsyncQuintet, Quintet, async_results, reason_of, results

IS_ASYNC = sys.argv[2:] == ["async"]
LOOP = asyncio.new_event_loop()
LEFT_SECONDS_MAX = 30


async def make_async(url, key):
    return AsyncQuintet(url, key)


def make(url, key):
    return LOOP.run_until_complete(make_async(url, key)) if IS_ASYNC else Quintet(url, key)


def close(quintet):
    closed = quintet.close()
    if IS_ASYNC:
        LOOP.run_until_complete(closed)


async def awaited(method, request):
    answer = method(request)
    if not hasattr(answer, "__aiter__"):
        return await answer
    async for first in answer:
        return first


def called(quintet, call):
    """The response, or the first of a stream."""
    method, request = method_of(quintet, call), request_of(call)
    if IS_ASYNC:
        return LOOP.run_until_complete(awaited(method, request))
    answer = method(request)
    return next(answer) if hasattr(answer, "__next__") else answer


def method_of(quintet, call):
    return getattr(getattr(quintet, call["service"]), call["method"])


def request_of(call):
    module = getattr(quintet_client, call["service"])
    return json_format.ParseDict(call["input"], getattr(module, call["method"] + "Request")())


def call_all(quintet):
    for call in json.load(sys.stdin):
        result = json_format.MessageToDict(called(quintet, call))
        print(json.dumps({"id": call["id"], "result": result}), flush=True)


async def listed(method, request):
    return [one async for one in async_results(method, request)]


def all_pages(quintet):
    """Names of the results of lists that are read to their end."""
    for call in json.load(sys.stdin):
        method, request = method_of(quintet, call), request_of(call)
        found = LOOP.run_until_complete(listed(method, request)) if IS_ASYNC else results(method, request)
        print(json.dumps([getattr(one, "uuid", None) or getattr(one, "id", None) or one.name for one in found]))


def streams():
    """How many calls the server has not ended."""
    with urllib.request.urlopen(os.environ["ADMIN_ORIGIN"] + "/metrics") as response:
        lines = response.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("quintet_calls_in_flight{"))


def leave(quintet):
    """Leaves a stream after its first message, and prints how many the server has then and a little later."""
    request = quintet_client.token_price.WatchPricesRequest(tokens=["coingecko:bitcoin"])

    async def leave_async():
        stream = quintet.token_price.WatchPrices(request)
        async for _ in stream:
            before = await asyncio.to_thread(streams)
            break
        return before, await asyncio.to_thread(later)

    def leave_sync():
        stream = quintet.token_price.WatchPrices(request)
        for _ in stream:
            before = streams()
            break
        return before, later()

    def later():
        until = time.monotonic() + LEFT_SECONDS_MAX
        while streams() > 0 and time.monotonic() < until:
            time.sleep(0.01)
        return streams()

    print(json.dumps(LOOP.run_until_complete(leave_async()) if IS_ASYNC else leave_sync()))


def reason(quintet):
    """Of a call for a price that fails."""
    try:
        called(quintet, {"service": "token_price", "method": "GetPrices", "input": {"tokens": ["coingecko:solana"]}})
        print(json.dumps(None))
    except grpc.RpcError as error:
        print(json.dumps(reason_of(error)))


class Deadlines(grpc.GenericRpcHandler):
    """A server of every method, which notes how long a call may take, and refuses it."""

    def __init__(self):
        self.seconds = None

    def service(self, handler_call_details):
        def refuse(_, context):
            self.seconds = context.time_remaining()
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "")

        return grpc.unary_unary_rpc_method_handler(refuse)


def deadlines():
    noted = Deadlines()
    server = grpc.server(futures.ThreadPoolExecutor(1), handlers=[noted])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    quintet = make(f"http://127.0.0.1:{port}", "")
    for call in json.load(sys.stdin):
        try:
            called(quintet, call)
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error
        print(json.dumps({"id": call["id"], "seconds": noted.seconds}), flush=True)
    close(quintet)
    server.stop(None)


def wrong():
    """What it says of URLs and keys that cannot be any."""
    for url, key in [("api.example.com", ""), ("https://api.example.com/v1", ""), ("http://user@127.0.0.1", ""), ("http://127.0.0.1", "k\n")]:
        try:
            make(url, key)
            print(json.dumps(None))
        except ValueError as error:
            print(json.dumps(str(error)))


if sys.argv[1] in ("deadlines", "wrong"):
    {"deadlines": deadlines, "wrong": wrong}[sys.argv[1]]()
else:
    client = make(os.environ["QUINTET_URL"], os.environ["QUINTET_KEY"])
    {"call": call_all, "pages": all_pages, "leave": leave, "reason": reason}[sys.argv[1]](client)
    close(client)
