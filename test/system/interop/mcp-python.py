"""Calls each tool with MCP's official client for Python, which checks results against the tools' schemas. Prints a JSON object."""

import asyncio
import json
import os
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def outcomes(mode: str, headers: dict[str, str], inputs: dict[str, dict]) -> dict[str, object]:
    found: dict[str, object] = {}
    async with create_mcp_http_client(headers=headers) as http:
        async with Client(streamable_http_client(os.environ["QUINTET_URL"] + "/mcp", http_client=http), mode=mode) as client:
            for tool in (await client.list_tools()).tools:
                called = await client.call_tool(tool.name, inputs.get(tool.name.replace("_", ""), {}))
                found[tool.name] = "error" if called.is_error else called.structured_content
    return found


async def main() -> None:
    inputs = json.load(sys.stdin)
    key = {"x-gateway-key": os.environ["QUINTET_KEY"]}
    result = {}
    for mode in ("legacy", "2026-07-28"):
        result[mode] = {
            "called": await outcomes(mode, key, inputs),
            "dry": await outcomes(mode, {**key, "x-quintet-dry-run": "true"}, inputs),
        }
    print(json.dumps(result))


asyncio.run(main())
