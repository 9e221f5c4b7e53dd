// Every unary method of the data services is a tool. The official SDK's client lists them, checks each result against the listed schema,
// and gets the same data as REST.
import type { DescMethod } from "@bufbuild/protobuf";
import type { Client } from "@modelcontextprotocol/client";
import { rulesOf } from "@quintet/transcoding";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RadioService } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { operationIdOf } from "../../../scripts/openapi/recorded-calls.ts";
import { DATA_METHODS } from "../../fixtures/data-services.ts";
import { queryOf, sampleInput } from "../../fixtures/sample-calls.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { connectClient, GENERATIONS } from "./client.ts";

/** The result of one of our tools. */
interface Called {
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly unknown[];
  readonly isError?: boolean;
}

const UNARY = DATA_METHODS.filter(({ desc }) => desc.methodKind === "unary").map(({ desc }) => desc);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
// Agents keep the whole list in their context.
const LIST_BYTES_MAX = 40_000;

const directory = makeTemporaryDirectory();
let served: SandboxGateway;
let headers: Readonly<Record<string, string>>;
let uuid: string;

// By the method's first rule.
async function restData(desc: DescMethod, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const [rule] = rulesOf(desc);
  const path = (rule?.template.source ?? "").replaceAll(/\{(\w+)\}/g, (_, name: string) => String(input[name]));
  const inPath = new Set(rule?.template.variables.map(({ fieldPath }) => fieldPath));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.has(name)));
  const isGet = rule?.httpMethod === "GET";
  const query = isGet ? `?${new URLSearchParams(queryOf(rest)).toString()}` : "";
  const response = await fetch(served.gateway.origin + path + query, {
    method: rule?.httpMethod ?? "",
    headers: { ...headers, ...(!isGet && { "content-type": "application/json" }) },
    ...(!isGet && { body: JSON.stringify(rest) }),
  });
  return ((await response.json()) as { data: unknown }).data;
}

beforeAll(async () => {
  served = await startSandboxGateway(directory.path);
  headers = { "x-gateway-key": (await served.gateway.makeCustomer(LARGEST_PLANS)).secret };
  const { results } = (await restData(RadioService.method.listTopVotedStations, { limit: 1 })) as {
    results: readonly { uuid: string }[];
  };
  uuid = results[0]?.uuid ?? "";
});
afterAll(async () => {
  await served?.close();
  directory.remove();
});

describe.each(GENERATIONS)("MCP of $generation", ({ mode }) => {
  let client: Client;
  beforeAll(async () => {
    client = await connectClient(served.gateway.origin, headers, mode);
  });
  afterAll(() => client?.close());

  test("lists a tool for each unary method, with its schemas and hints", async () => {
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(UNARY.length);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(UNARY.length);
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(name).toMatch(NAME);
      expect({ title, description, input: inputSchema.type, output: outputSchema?.type }).toEqual({
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/\.$/m),
        input: "object",
        output: "object",
      });
      const isReadOnly = name !== "radio_report_play";
      expect(annotations).toMatchObject({ readOnlyHint: isReadOnly, ...(!isReadOnly && { destructiveHint: false }) });
    }
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(LIST_BYTES_MAX);
  });

  test.each(UNARY.map((desc) => [operationIdOf(desc), desc] as const))("%s returns the same as REST", async (operationId, desc) => {
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name.replaceAll("_", "") === nameOf(operationId));
    const input = sampleInput(operationId, uuid);
    const { structuredContent, content, isError } = (await client.callTool({
      name: tool?.name ?? "",
      arguments: input,
    })) as Called;
    const data = await restData(desc, input);
    const field = rulesOf(desc)[0]?.responseBody ?? "";
    expect(isError).toBeUndefined();
    expect(field === "" ? structuredContent : structuredContent?.[field]).toEqual(data);
    expect(content).toEqual([{ type: "text", text: JSON.stringify(structuredContent) }]);
    expect(Object.keys(tool?.outputSchema?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(structuredContent ?? {})));
  });
});

test.each(GENERATIONS)("a dry run of every tool has a result that its schema allows: $generation", async ({ mode }) => {
  // With a key of its own: the other calls have used up what the plan allows in a second.
  const own = { "x-gateway-key": (await served.gateway.makeCustomer(LARGEST_PLANS)).secret, "x-quintet-dry-run": "true" };
  const client = await connectClient(served.gateway.origin, own, mode);
  const { tools } = await client.listTools();
  for (const desc of UNARY) {
    const operationId = operationIdOf(desc);
    const tool = tools.find(({ name }) => name.replaceAll("_", "") === nameOf(operationId));
    const called = await client.callTool({ name: tool?.name ?? "", arguments: sampleInput(operationId, uuid) });
    expect(called.structuredContent ?? called.content).toEqual({ dry_run: true });
  }
  await client.close();
});

const SERVICE_OF = new Map(UNARY.map(({ parent }) => [parent.name, parent.typeName.split(".")[1] ?? ""]));

// `TokenPriceService_GetPrices` → `tokenpricegetprices`
function nameOf(operationId: string): string {
  const [service = "", method = ""] = operationId.split("_");
  return `${SERVICE_OF.get(service)}${method.toLowerCase()}`;
}
