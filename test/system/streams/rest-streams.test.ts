// What only streams over REST have: a choice of formats, a response head, heartbeats, and refusals with their own HTTP status.
import { describe, expect, test } from "vitest";
import { preferredOf } from "../../../src/gateway/media-type.ts";
import { HEARTBEAT_MS, startWatchScene } from "./watch-scene.ts";

const NDJSON = "application/x-ndjson";
const EVENTS = "text/event-stream";

describe("the format is the one that the accept header prefers:", () => {
  test.each([
    { accept: undefined, format: NDJSON },
    { accept: "", format: NDJSON },
    { accept: "*/*", format: NDJSON },
    { accept: "application/*", format: NDJSON },
    { accept: "text/*", format: EVENTS },
    { accept: EVENTS, format: EVENTS },
    { accept: `${EVENTS}, */*`, format: EVENTS },
    { accept: `${NDJSON}, ${EVENTS}`, format: NDJSON },
    { accept: `${NDJSON};q=0.5, ${EVENTS}`, format: EVENTS },
    { accept: `*/*, ${NDJSON};q=0`, format: EVENTS },
    { accept: "application/json", format: undefined },
    { accept: `${NDJSON};q=0, ${EVENTS};q=0`, format: undefined },
  ])("$accept", ({ accept, format }) => {
    expect(preferredOf(accept, NDJSON, EVENTS)).toBe(format);
  });
});

const ID = "7c0e3c1e-33f5-4bd7-9a0f-3d7a1c6f2b10";

test("the head has the headers of other responses, and a heartbeat is sent after 15 silent seconds", async () => {
  const scene = await startWatchScene();
  const controller = new AbortController();
  const response = await fetch(`${scene.gateway.origin}/token-price/v1/watch`, {
    method: "POST",
    body: JSON.stringify({ tokens: ["coingecko:bitcoin"], interval_seconds: 3600 }),
    headers: { "x-gateway-key": scene.secret, "x-request-id": ID, accept: EVENTS, "content-type": "application/json" },
    signal: controller.signal,
  });
  const { date: _, connection: __, "keep-alive": ___, ...headers } = Object.fromEntries(response.headers);
  expect({ status: response.status, headers }).toEqual({
    status: 200,
    headers: {
      "content-type": EVENTS,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      vary: "accept",
      ratelimit: '"second";r=99;t=1, "month";r=999;t=820800',
      "ratelimit-policy": '"second";q=100;w=1;quintet-burst=100, "month";q=1000;w=2592000',
      "transfer-encoding": "chunked",
      "x-request-id": ID,
    },
  });
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never).getReader();
  const read = async (): Promise<unknown> => (await reader.read()).value;
  expect(await read()).toMatch(/^data: \{"results":\[\{.*\}\],"missing":\[\],"freshness":\{.*\}\}\n\n$/);
  await scene.untilSilent();
  scene.clock.advance(HEARTBEAT_MS);
  expect(await read()).toBe(": heartbeat\n\n");
  controller.abort();
});

test("by default a change arrives before a heartbeat would", async () => {
  const scene = await startWatchScene();
  const controller = new AbortController();
  const response = await fetch(`${scene.gateway.origin}/token-price/v1/watch?tokens=coingecko:bitcoin`, {
    headers: { "x-gateway-key": scene.secret, accept: NDJSON },
    signal: controller.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never).getReader();
  const read = async (): Promise<unknown> => JSON.parse(String((await reader.read()).value));
  expect(await read()).toMatchObject({ results: [{ price: 95_000 }] });
  await scene.untilSilent();
  scene.prices.set("coingecko:bitcoin", 96_000);
  scene.clock.advance(HEARTBEAT_MS - 1000);
  expect(await read()).toMatchObject({ results: [{ price: 96_000 }] });
  controller.abort();
});

test("a caller who accepts neither format gets a 406, and invalid input a 400, in the error envelope", async () => {
  const scene = await startWatchScene();
  const send = async (query: string, accept: string): Promise<unknown> => {
    const headers = { "x-gateway-key": scene.secret, accept };
    const response = await fetch(`${scene.gateway.origin}/token-price/v1/watch?${query}`, { headers });
    const { error, message } = (await response.json()) as { error: { reason: string }; message: string };
    return { status: response.status, reason: error.reason, message };
  };
  expect(await send("tokens=coingecko:bitcoin", "application/json")).toEqual({
    status: 406,
    reason: "NOT_ACCEPTABLE",
    message: "The response is application/x-ndjson or text/event-stream; the accept header allows neither.",
  });
  expect(await send("tokens=coingecko:bitcoin&interval_seconds=4", EVENTS)).toEqual({
    status: 400,
    reason: "INVALID_ARGUMENT",
    message: "interval_seconds must be a whole number from 5 to 3600, not 4",
  });
});

test("HEAD returns the head of a stream, without messages", async () => {
  const scene = await startWatchScene();
  const response = await fetch(`${scene.gateway.origin}/token-price/v1/watch?tokens=coingecko:bitcoin`, {
    method: "HEAD",
    headers: { "x-gateway-key": scene.secret, accept: EVENTS },
  });
  expect({ status: response.status, type: response.headers.get("content-type"), body: await response.text() }).toEqual({
    status: 200,
    type: EVENTS,
    body: "",
  });
});
