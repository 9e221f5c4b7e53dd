// Each method, called with the console's requests in every protocol that a browser can send: the responses are equal.
// gRPC's bytes are compared with those of gRPC-Web, and refusals have the same text in all protocols.
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleMethod } from "../../../portal/app/console/contract/contract.ts";
import { fieldsOf } from "../../../portal/app/console/form/fields.ts";
import type { Bytes } from "../../../portal/app/console/wire/bytes.ts";
import { PROTOCOLS, type ProtocolId, protocolsOf } from "../../../portal/app/console/wire/protocol.ts";
import { requestOf, type WireRequest } from "../../../portal/app/console/wire/request.ts";
import { headFailure, type ResponsePart, responsePartOf } from "../../../portal/app/console/wire/response.ts";
import { splitterFor } from "../../../portal/app/console/wire/splitter.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { CONTRACT, methodAt } from "./contract.ts";

const { registry } = CONTRACT;
const SENDABLE = PROTOCOLS.map(({ id }) => id).filter((id) => id !== "grpc");

interface Called {
  readonly request: WireRequest;
  readonly status: number;
  readonly type: string;
  readonly body: Bytes;
  readonly responseParts: readonly ResponsePart[];
}

const built = (method: ConsoleMethod, input: JsonObject, protocol: ProtocolId, isDryRun = false) =>
  requestOf({ method, fields: fieldsOf(CONTRACT.rules, method.desc.input), registry, isDryRun }, input, protocol);

describe("A call from the console", () => {
  const data = makeTemporaryDirectory();
  let servers: SandboxGateway;
  beforeAll(async () => {
    servers = await startSandboxGateway(data.path);
  });
  afterAll(async () => {
    await servers.close();
    data.remove();
  });

  // One customer for each call: time stands still, so rate limits never recover.
  async function call(
    method: ConsoleMethod,
    input: JsonObject,
    protocol: ProtocolId,
    { secret, isDryRun = false }: { readonly secret?: string; readonly isDryRun?: boolean } = {},
  ): Promise<Called> {
    const created = built(method, input, protocol, isDryRun);
    if ("faults" in created) {
      throw new Error(JSON.stringify(created.faults));
    }
    const { request } = created;
    const key = secret ?? (await servers.gateway.makeCustomer(LARGEST_PLANS)).secret;
    const response = await fetch(`${servers.gateway.origin}${request.target}`, {
      method: request.verb,
      headers: [...request.headers.map(([name, value]): [string, string] => [name, value]), ["x-gateway-key", key]],
      ...(request.body !== undefined && { body: request.body }),
    });
    const type = response.headers.get("content-type") ?? "";
    const body = await bodyOf(response, method.isStream && !isDryRun);
    const splitter = splitterFor(type);
    // In two pieces, cut at any position.
    const parts = [splitter.push(body.subarray(0, 7)), splitter.push(body.subarray(7)), splitter.end()].flat();
    const head = { status: response.status, headers: response.headers };
    const refused = headFailure(head, registry);
    return {
      request,
      status: response.status,
      type,
      body,
      responseParts: [
        ...(refused === undefined ? [] : [{ kind: "failure", failure: refused } as const]),
        ...parts.map((part) => responsePartOf({ method, protocol, registry }, head, part)),
      ],
    };
  }

  // For a stream, its first chunk, which is its first message.
  async function bodyOf(response: Response, isStream: boolean): Promise<Bytes> {
    if (!isStream || !response.ok || response.body === null) {
      return new Uint8Array(await response.arrayBuffer());
    }
    const reader = response.body.getReader();
    const { value = new Uint8Array() } = await reader.read();
    await reader.cancel();
    return value as Bytes;
  }

  const messageOfResponse = ({ responseParts }: Called): JsonObject | undefined => {
    const found = responseParts.find(({ kind }) => kind === "message");
    return found?.kind === "message" ? found.json : undefined;
  };

  test.each(CONTRACT.methods)("to $slug has the same response in every protocol", async (method) => {
    const input = method.sample as JsonObject;
    const responses = new Map<ProtocolId, JsonObject | undefined>();
    for (const { id } of protocolsOf(method).filter(({ id }) => id !== "grpc")) {
      const called = await call(method, input, id);
      const whole = messageOfResponse(called);
      // Over REST a single field may stand for the whole response.
      const { restResponseField: field } = method;
      responses.set(id, field === "" ? whole : (whole?.[field] as JsonObject));
    }
    const [first, ...others] = responses.values();
    expect(Object.keys(first ?? {}).length).toBeGreaterThan(0);
    expect(others).toEqual(others.map(() => first));
  });

  test.each(SENDABLE)("is refused in %s with the server's reason, message and fields", async (id) => {
    const method = methodAt("radio/search-stations");
    const { responseParts } = await call(method, { limit: 1000, offset: -1 }, id);
    expect(responseParts.filter(({ kind }) => kind !== "end")).toEqual([
      {
        kind: "failure",
        failure: {
          reason: "INVALID_ARGUMENT",
          code: "INVALID_ARGUMENT",
          message: expect.stringContaining("limit must be a whole number from 1 to 100"),
          faults: [
            { field: "limit", description: "must be a whole number from 1 to 100, not 1000" },
            { field: "offset", description: "must be a whole number from 0 to 100000, not -1" },
          ],
          details: expect.arrayContaining([
            {
              type: "google.rpc.ErrorInfo",
              json: expect.objectContaining({ reason: "INVALID_ARGUMENT", domain: "quintet.example" }),
            },
          ]),
        },
      },
    ]);
  });

  test.each(SENDABLE.filter((id) => id !== "connect-get"))("of a stream is refused in %s like a unary call", async (id) => {
    const { responseParts } = await call(methodAt("token-price/watch-prices"), { tokens: ["coingecko:bitcoin"] }, id, {
      secret: "qk_live_no",
    });
    expect(responseParts).toMatchObject([{ kind: "failure", failure: { reason: "KEY_INVALID", code: "UNAUTHENTICATED" } }]);
  });

  test.each(["rest", "rest-body", "connect", "connect-get"] as const)(
    "sends a value that is not a number unchanged in %s",
    async (id) => {
      const { responseParts } = await call(methodAt("radio/search-stations"), { limit: "many" }, id);
      expect(responseParts).toMatchObject([{ kind: "failure", failure: { code: "INVALID_ARGUMENT" } }]);
    },
  );

  test.each(["radio/search-stations", "token-price/watch-prices"])(
    "to %s that is only checked has no content in any protocol",
    async (slug) => {
      const method = methodAt(slug);
      const said: Record<string, unknown> = {};
      for (const { id } of protocolsOf(method).filter(({ id }) => id !== "grpc")) {
        const { request, status, responseParts } = await call(method, method.sample as JsonObject, id, { isDryRun: true });
        said[id] = {
          sent: request.headers.at(-1),
          status,
          content: responseParts.map(({ kind }) => kind).filter((kind) => kind !== "end"),
        };
      }
      expect(said).toEqual(
        Object.fromEntries(Object.keys(said).map((id) => [id, { sent: ["x-quintet-dry-run", "true"], status: 200, content: [] }])),
      );
    },
  );

  test("in gRPC has the same message in the same envelope as in gRPC-Web", () => {
    for (const method of CONTRACT.methods) {
      const [grpc, web] = (["grpc", "grpc-web"] as const).map((id) => built(method, method.sample as JsonObject, id));
      expect(grpc && "request" in grpc && grpc.request.body).toEqual(web && "request" in web && web.request.body);
    }
  });
});

test("a list of strings with commas is not sent in a query, which would split them", () => {
  expect(built(methodAt("token-price/get-prices"), { tokens: ["a:b,c"] }, "rest")).toEqual({
    faults: [
      { field: "tokens", description: "contains a comma or an object, which cannot be sent in the query: send a JSON body" },
    ],
  });
});
