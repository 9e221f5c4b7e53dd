// The sample of a page of the reference is called as the page shows it, and only a bounded part of the response is read.
import { describe, expect, test } from "vitest";
import { CHARACTERS_MAX, callSample, type Sample, type SampleResponse } from "../../../portal/reference/sample-call.ts";

const SEARCH: Sample = { verb: "GET", target: "/radio/v1/search?tag=jazz", body: undefined, isStream: false };

interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}

// Calls a server that returns this response.
async function call(sample: Sample, key: string | undefined, response: Response): Promise<{ sent: Sent[]; came: SampleResponse }> {
  const sent: Sent[] = [];
  let nowMs = 0;
  const came = await callSample(sample, key, {
    fetch: async (path, init = {}) => {
      sent.push({ path: String(path), init });
      return response;
    },
    nowMs: () => {
      nowMs += 40;
      return nowMs;
    },
    signal: new AbortController().signal,
  });
  return { sent, came };
}

describe("A sample", () => {
  test("is sent with the key and without cookies, and its response is indented", async () => {
    const { sent, came } = await call(SEARCH, "qk_test_1", new Response('{"data":{"count":2}}'));
    const [{ path, init } = { path: "", init: {} }] = sent;
    expect({ path, method: init.method, headers: init.headers, credentials: init.credentials, body: init.body }).toEqual({
      path: "/radio/v1/search?tag=jazz",
      method: "GET",
      headers: { "x-gateway-key": "qk_test_1" },
      credentials: "omit",
      body: undefined,
    });
    expect(came).toEqual({
      status: 200,
      ms: 40,
      text: '{\n  "data": {\n    "count": 2\n  }\n}',
      isCut: false,
      reason: undefined,
    });
  });

  test("with a body is sent as JSON", async () => {
    const post = { verb: "POST", target: "/farkle/v1/score", body: '{"dice":[1]}', isStream: false };
    const { sent } = await call(post, undefined, new Response("{}"));
    expect({ headers: sent[0]?.init.headers, body: sent[0]?.init.body }).toEqual({
      headers: { "content-type": "application/json" },
      body: '{"dice":[1]}',
    });
  });

  test("that is refused returns the reason", async () => {
    const refused = new Response('{"error":{"reason":"KEY_INVALID"}}', { status: 401 });
    const { came } = await call(SEARCH, "qk_test_1", refused);
    expect([came.status, came.reason]).toEqual([401, "KEY_INVALID"]);
  });

  test("that gets a response without JSON shows it unchanged", async () => {
    const { came } = await call(SEARCH, undefined, new Response("<h1>Bad gateway</h1>", { status: 502 }));
    expect([came.status, came.text]).toEqual([502, "<h1>Bad gateway</h1>"]);
  });

  test("reads the first message of a stream, and no more", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('{"count":1}\n')),
      cancel() {
        isCancelled = true;
      },
    });
    const { came } = await call({ ...SEARCH, isStream: true }, undefined, new Response(body));
    expect({ text: came.text, isCancelled }).toEqual({ text: '{\n  "count": 1\n}', isCancelled: true });
  });

  test("keeps only the start of an endless response", async () => {
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(0x78)) });
    const { came } = await call(SEARCH, undefined, new Response(body));
    expect({ length: came.text.length, isCut: came.isCut }).toEqual({ length: CHARACTERS_MAX, isCut: true });
  });
});
