"""Calls all the time by grpcio, until its input ends, and prints what became of its calls."""

import asyncio
import collections
import json
import os
import sys
import threading
import time

import grpc

METHOD = "/quintet.farkle.v1.FarkleService/Score"
REQUEST = bytes([10, 3, 1, 1, 5])
TARGET = "ipv4:" + ",".join(f"{host}:{os.environ['PORT']}" for host in os.environ["HOSTS"].split(","))
METADATA = [("x-gateway-key", os.environ["KEY"])]
AT_ONCE = int(os.environ["AT_ONCE"])
PAUSE_SECONDS = int(os.environ["PAUSE_MS"]) / 1000
OPTIONS = [
    ("grpc.service_config", json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})),
    # If a server is down it retries after a while, by default up to two minutes.
    ("grpc.max_reconnect_backoff_ms", 1000),
]

tally = {"answered": 0, "limited": 0, "lost": collections.Counter()}
lock = threading.Lock()
is_over = threading.Event()


def add(error):
    with lock:
        if error is None:
            tally["answered"] += 1
        elif error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED:
            tally["limited"] += 1
        else:
            tally["lost"][f"{error.code().name}: {error.details()}"] += 1


def call_on(call):
    while not is_over.is_set():
        try:
            call(REQUEST, metadata=METADATA)
            add(None)
        except grpc.RpcError as error:
            add(error)
        time.sleep(PAUSE_SECONDS)


def blocking():
    with grpc.insecure_channel(TARGET, options=OPTIONS) as channel:
        calling = [threading.Thread(target=call_on, args=[channel.unary_unary(METHOD)]) for _ in range(AT_ONCE)]
        for thread in calling:
            thread.start()
        sys.stdin.read()
        is_over.set()
        for thread in calling:
            thread.join()


async def call_on_async(call):
    while not is_over.is_set():
        try:
            await call(REQUEST, metadata=METADATA)
            add(None)
        except grpc.RpcError as error:
            add(error)
        await asyncio.sleep(PAUSE_SECONDS)


async def asynchronous():
    async with grpc.aio.insecure_channel(TARGET, options=OPTIONS) as channel:
        calling = [asyncio.create_task(call_on_async(channel.unary_unary(METHOD))) for _ in range(AT_ONCE)]
        await asyncio.to_thread(sys.stdin.read)
        is_over.set()
        await asyncio.gather(*calling)


if sys.argv[1] == "aio":
    asyncio.run(asynchronous())
else:
    blocking()
print(json.dumps(tally))
