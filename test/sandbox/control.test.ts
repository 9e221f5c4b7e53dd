import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Control, startControl } from "../../src/sandbox/sandbox.ts";
import type { StandIn } from "../../src/sandbox/stand-ins/stand-in.ts";
import { startStandIn } from "../../src/sandbox/stand-ins/stand-in-server.ts";

let standIns: StandIn[];
let control: Control;
let nowMs = Date.UTC(2026, 10, 21);
const time = {
  nowMs: () => nowMs,
  advance: (ms: number) => {
    nowMs += ms;
  },
};

beforeAll(async () => {
  const handle = () => ({ status: 200, body: "{}" });
  standIns = await Promise.all(["radio-1", "radio-2"].map((name) => startStandIn({ name, handle, clock: systemClock })));
  control = await startControl({ standIns, time, port: 0 });
});

beforeEach(() => {
  for (const standIn of standIns) {
    standIn.misbehaviour = { kind: "none" };
  }
});

afterAll(async () => {
  await Promise.all([control, ...standIns].map((server) => server.close()));
});

async function request(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(control.origin + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return [response.status, await response.json()];
}

const shown = (index: number, misbehaviour: unknown, requestCount: unknown = expect.any(Number)) => ({
  name: `radio-${index + 1}`,
  origin: standIns[index]?.origin,
  misbehaviour,
  requestCount,
});

describe("the control server", () => {
  test("lists the stand-ins with their misbehaviour and number of requests", async () => {
    await fetch(standIns[1]?.origin ?? "");
    expect(await request("GET", "/")).toEqual([200, [shown(0, { kind: "none" }, 0), shown(1, { kind: "none" }, 1)]]);
  });

  test.each([
    { kind: "none" },
    { kind: "slow", delayMs: 3000 },
    { kind: "dead" },
    { kind: "limiting", retryAfterSeconds: 5 },
    { kind: "truncated" },
    { kind: "html" },
    { kind: "failing" },
  ])("sets %j on one stand-in and on no other", async (misbehaviour) => {
    expect(await request("PUT", "/radio-2", JSON.stringify(misbehaviour))).toEqual([200, shown(1, misbehaviour)]);
    expect(standIns.map((standIn) => standIn.misbehaviour)).toEqual([{ kind: "none" }, misbehaviour]);
    expect(await request("GET", "/radio-2")).toEqual([200, shown(1, misbehaviour)]);
  });

  test("also accepts POST with a content type", async () => {
    const json = { "content-type": "application/json" };
    expect(await request("POST", "/radio-1", '{"kind":"dead"}', json)).toEqual([200, shown(0, { kind: "dead" })]);
  });

  test("moves the time forward", async () => {
    expect(await request("PUT", "/clock", '{"days":31.5}')).toEqual([200, { now: "2026-12-22T12:00:00.000Z" }]);
    expect(await request("GET", "/clock")).toEqual([200, { now: "2026-12-22T12:00:00.000Z" }]);
  });

  test.each<[string, string, string, string, number, string]>([
    [
      "a stand-in that does not exist",
      "PUT",
      "/radio-9",
      "{}",
      404,
      'there is no stand-in called "radio-9"; the stand-ins are radio-1, radio-2',
    ],
    ["a path that names none", "PUT", "/", "{}", 405, "PUT is not supported here; PUT a misbehaviour to the path of a stand-in"],
    ["another method", "DELETE", "/radio-1", "", 405, "DELETE is not supported here; PUT a misbehaviour to the path of a stand-in"],
    ["a form", "POST", "/radio-1", '{"kind":"dead"}', 415, "POST needs the header content-type: application/json; PUT does not"],
    ["what is not JSON", "PUT", "/radio-1", "dead", 400, 'the body must be a JSON object such as {"kind":"slow","delayMs":3000}'],
    ["a list", "PUT", "/radio-1", "[]", 400, 'the body must be a JSON object such as {"kind":"slow","delayMs":3000}'],
    ["no kind", "PUT", "/radio-1", "{}", 400, "kind must be one of none, slow, dead, limiting, truncated, html, failing"],
    [
      "an unknown kind",
      "PUT",
      "/radio-1",
      '{"kind":"toString"}',
      400,
      "kind must be one of none, slow, dead, limiting, truncated, html, failing",
    ],
    ["a missing number", "PUT", "/radio-1", '{"kind":"slow"}', 400, "slow needs delayMs, a whole number from 0 to 600000"],
    [
      "a number out of range",
      "PUT",
      "/radio-1",
      '{"kind":"slow","delayMs":-1}',
      400,
      "slow needs delayMs, a whole number from 0 to 600000",
    ],
    ...["{}", '{"days":0}', '{"days":-1}', '{"days":401}', '{"days":"1"}', '{"days":1,"hours":1}', "31"].map(
      (body): [string, string, string, string, number, string] => [
        ...([`the days ${body}`, "PUT", "/clock", body, 400] as const),
        'the body must be {"days":N}, with N more than 0 and at most 400',
      ],
    ),
    ["a field too many", "PUT", "/radio-1", '{"kind":"dead","delayMs":1}', 400, 'dead takes no field "delayMs"'],
  ])("refuses %s and says what would be right", async (_, method, path, body, status, error) => {
    expect(await request(method, path, body)).toEqual([status, { error }]);
    expect(standIns.map((standIn) => standIn.misbehaviour)).toEqual([{ kind: "none" }, { kind: "none" }]);
  });

  test("accepts a body of 1,000 characters and closes the connection on a longer one", async () => {
    const dead = { kind: "dead" };
    const body = (length: number): string => JSON.stringify(dead).padStart(length);
    expect(await request("PUT", "/radio-1", body(1000))).toEqual([200, shown(0, dead)]);
    await expect(request("PUT", "/radio-2", body(1001))).rejects.toThrow("fetch failed");
    expect(standIns.map((standIn) => standIn.misbehaviour)).toEqual([dead, { kind: "none" }]);
  });
});
