# Calls the installed package quintet-client as its first argument says, and prints a line of JSON for each call.
import json
import os
import sys
from concurrent import futures

import grpc
import quintet_client
from google.protobuf import json_format
from quintet_client import Quintet, reason_of, results


def method_of(quintet, call):
    return getattr(getattr(quintet, call["service"]), call["method"])


def request_of(call):
    module = getattr(quintet_client, call["service"])
    return json_format.ParseDict(call["input"], getattr(module, call["method"] + "Request")())


def call_all(quintet):
    for call in json.load(sys.stdin):
        answer = method_of(quintet, call)(request_of(call))
        if isinstance(answer, grpc.Call) and hasattr(answer, "__next__"):
            stream, answer = answer, next(answer)
            stream.cancel()
        print(json.dumps({"id": call["id"], "result": json_format.MessageToDict(answer)}), flush=True)


def all_pages(quintet):
    """Names of the results of lists that are read to their end."""
    for call in json.load(sys.stdin):
        listed = results(method_of(quintet, call), request_of(call))
        print(json.dumps([getattr(one, "uuid", None) or getattr(one, "id", None) or one.name for one in listed]))


def reason(quintet):
    """Of a call for a price that fails."""
    try:
        quintet.token_price.GetPrices(quintet_client.token_price.GetPricesRequest(tokens=["coingecko:solana"]))
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
    with Quintet(f"http://127.0.0.1:{port}", "") as quintet:
        for call in json.load(sys.stdin):
            try:
                next(iter(method_of(quintet, call)(request_of(call))))
            except grpc.RpcError as error:
                assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error
            print(json.dumps({"id": call["id"], "seconds": noted.seconds}), flush=True)
    server.stop(None)


def wrong():
    """What it says of URLs and keys that cannot be any."""
    for url, key in [("api.example.com", ""), ("https://api.example.com/v1", ""), ("http://user@127.0.0.1", ""), ("http://127.0.0.1", "k\n")]:
        try:
            Quintet(url, key)
            print(json.dumps(None))
        except ValueError as error:
            print(json.dumps(str(error)))


if sys.argv[1] in ("deadlines", "wrong"):
    {"deadlines": deadlines, "wrong": wrong}[sys.argv[1]]()
else:
    with Quintet(os.environ["QUINTET_URL"], os.environ["QUINTET_KEY"]) as client:
        {"call": call_all, "pages": all_pages, "reason": reason}[sys.argv[1]](client)
