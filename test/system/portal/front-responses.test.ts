// The examples of the front page: its commands are run as shown, in a shell, with a key on the default free plans, and its requests are
// sent as they are over HTTP/2. What comes back is recorded in portal/content/recorded, from which the page is made; `npx vitest run
// test/system/portal/front-responses.test.ts -u` records it again.
import { connect, type IncomingHttpHeaders } from "node:http2";
import { join } from "node:path";
import { type DescMessage, fromBinary, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import { expect, onTestFinished, test } from "vitest";
import { frontCommands, heroCalls } from "../../../portal/content/front.ts";
import { SNIPPET_SERVER } from "../../../portal/content/snippets/snippet.ts";
import { framed, methodOf, type WireRequest, type WireResponse } from "../../../portal/content/wire.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { CURL_IS_ABLE } from "../../fixtures/curl.ts";
import { advanceTime, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { REQUEST_ID } from "../../fixtures/recorded-examples.ts";
import { ROOT } from "../../fixtures/root.ts";
import { withSteadyOrigins } from "../../fixtures/sandbox-origins.ts";
import { ALL_FREE } from "../../fixtures/world.ts";
import { runSnippet, WITHIN_MS } from "./run-snippet.ts";

const RECORDED = join(ROOT, "portal/content/recorded");

// A server with the default plans, in front of the sandbox's stand-ins, with a clock that stands still.
async function startFree() {
  const clock = createManualClock({ nowMs: START_MS });
  const sandbox = await startSandbox({ clock, controlPort: 0 });
  const variables = { ...sandbox.variables, QUINTET_PLANS: "plans/default.json" };
  const gateway = await startGateway({ variables, clock });
  onTestFinished(async () => {
    await advanceTime(clock, gateway.close());
    await sandbox.close();
  });
  return { gateway, sandbox };
}

const recordedIn = (file: string, responses: readonly (readonly [string, unknown])[]): Promise<void> =>
  expect(`${JSON.stringify(Object.fromEntries(responses), undefined, 2)}\n`).toMatchFileSnapshot(join(RECORDED, file));

test.runIf(CURL_IS_ABLE)(
  "each command of the front page prints what the page shows, in each protocol, on the free plan",
  { timeout: WITHIN_MS },
  async () => {
    const { gateway, sandbox } = await startFree();
    const recorded: [string, unknown][] = [];
    for (const [name, snippet] of frontCommands()) {
      // The plan's rate must not delay the next command.
      const { secret } = await gateway.makeCustomer(ALL_FREE);
      const code = snippet.code.replaceAll(SNIPPET_SERVER, gateway.origin);
      const { stdout, stderr, failed } = await runSnippet({ ...snippet, code }, secret);
      expect({ name, stderr, failed }).toEqual({ name, stderr: "", failed: false });
      recorded.push([name, JSON.parse(steadyJson(stdout, sandbox))]);
    }
    await recordedIn("front.json", recorded);
  },
);

test("each request of the front page gets the response that the page shows, over HTTP/2, on the free plan", async () => {
  const { gateway, sandbox } = await startFree();
  const recorded: [string, WireResponse][] = [];
  for (const { name, request } of heroCalls().flatMap(({ calls }) => calls)) {
    const { secret } = await gateway.makeCustomer(ALL_FREE);
    const response = await send(gateway.origin, request, secret);
    const body = response.headers["content-type"]?.startsWith("application/json")
      ? Buffer.from(steadyJson(response.body.toString("utf8"), sandbox))
      : steadyFrames(response.body, methodOf(request.target.slice(1)).output, sandbox);
    const length = "content-length" in response.headers ? { "content-length": String(body.length) } : {};
    const headers = { ...response.headers, ...length, "x-request-id": REQUEST_ID };
    recorded.push([name, { ...response, headers, body: body.toString("base64") }]);
  }
  expect(recorded.map(([, { status, headers, trailers }]) => [status, trailers["grpc-status"] ?? headers["grpc-status"]])).toEqual(
    recorded.map(([name]) => [200, name.endsWith(" gRPC") ? "0" : undefined]),
  );
  await recordedIn("front-wire.json", recorded);
});

const steadyJson = (json: string, sandbox: Sandbox): string =>
  withSteadyOrigins(json, sandbox).replaceAll(/(?<="request_id":\s*")[^"]+/g, REQUEST_ID);

/** The first frame with steady addresses in its message, and the others, such as the trailers of gRPC-Web, as they are. */
function steadyFrames(body: Buffer, output: DescMessage, sandbox: Sandbox): Buffer {
  const end = 5 + body.readUInt32BE(1);
  const json = withSteadyOrigins(toJsonString(output, fromBinary(output, body.subarray(5, end))), sandbox);
  return Buffer.concat([framed(toBinary(output, fromJsonString(output, json))), body.subarray(end)]);
}

async function send(origin: string, { verb, target, headers, body }: WireRequest, key: string) {
  const session = connect(origin);
  const stream = session.request({ ":method": verb, ":path": target, ...headers, "x-gateway-key": key });
  stream.end(body);
  let head: IncomingHttpHeaders & { readonly ":status"?: number | undefined } = {};
  let trailers: IncomingHttpHeaders = {};
  stream.on("response", (got) => {
    head = got;
  });
  stream.on("trailers", (got) => {
    trailers = got;
  });
  const chunks: Uint8Array[] = await Array.fromAsync(stream);
  session.close();
  return { status: head[":status"] ?? 0, headers: plain(head), body: Buffer.concat(chunks), trailers: plain(trailers) };
}

const plain = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(":") && name !== "date")
      .map(([name, value]) => [name, String(value)]),
  );
