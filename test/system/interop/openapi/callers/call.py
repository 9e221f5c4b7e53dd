# Calls each operation of standard input with the client that openapi-generator made, and prints each result on a line.
import importlib
import json
import os
import re
import sys

import quintet_openapi


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "_", name).lower()


def run(client, call):
    name = snake(call["operationId"])
    tag = call["tag"]
    api = getattr(importlib.import_module(f"quintet_openapi.api.{snake(tag)}_api"), f"{tag}Api")(client)
    given = call["input"]
    if call["hasBody"]:
        request = call["operationId"].split("_")[1] + "Request"
        given = {snake(request): getattr(quintet_openapi, request).from_dict(given)}
    if call["isStream"]:
        # The method itself reads a response to its end, which a stream does not have.
        response = getattr(api, f"{name}_without_preload_content")(**given)
        line = b""
        while not line.endswith(b"\n"):
            line += response.read(1)
        response.close()
        return json.loads(line)
    return json.loads(getattr(api, name)(**given).to_json())


configuration = quintet_openapi.Configuration(
    host=os.environ["QUINTET_URL"], api_key={"gatewayKey": os.environ["QUINTET_KEY"]}
)
with quintet_openapi.ApiClient(configuration) as client:
    for call in json.load(sys.stdin):
        outcome = {"operationId": call["operationId"]}
        try:
            outcome["result"] = run(client, call)
        except Exception as error:
            outcome["error"] = repr(error)
        print(json.dumps(outcome), flush=True)
