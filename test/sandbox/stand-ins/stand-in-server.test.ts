import { afterEach, describe, expect, test } from "vitest";
import type { Clock } from "../../../src/runtime/clock.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import type { Misbehaviour, StandIn } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { type StandInOptions, startStandIn } from "../../../src/sandbox/stand-ins/stand-in-server.ts";

const body = JSON.stringify({ text: "x".repeat(2000) });
let standIn: StandIn | undefined;

async function start(options: Partial<StandInOptions> = {}): Promise<StandIn> {
  standIn = await startStandIn({ name: "demo", clock: systemClock, handle: () => ({ status: 200, body }), ...options });
  return standIn;
}

afterEach(async () => {
  await standIn?.close();
});

/** What a client sees: the status, the type and the text, or that the connection broke. */
async function send(origin: string, headers: Record<string, string> = {}): Promise<unknown> {
  try {
    const response = await fetch(`${origin}/path?a=1`, { headers });
    return [response.status, response.headers.get("content-type"), await response.text()];
  } catch {
    return "connection broke";
  }
}

describe("a stand-in that behaves", () => {
  test("sends its handler's response, as JSON unless another type is given, and counts requests", async () => {
    const seen: string[] = [];
    const { origin, ...rest } = await start({
      handle: (url, request) => {
        seen.push(`${request.method} ${url.pathname}${url.search}`);
        return url.searchParams.get("a") === "1"
          ? { status: 404, headers: { "content-type": "text/plain" }, body: "no" }
          : { status: 200, body };
      },
    });
    expect(rest.name).toBe("demo");
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await send(origin)).toEqual([404, "text/plain", "no"]);
    expect(await (await fetch(origin)).json()).toEqual(JSON.parse(body));
    expect(seen).toEqual(["GET /path?a=1", "GET /"]);
    expect(standIn?.requestCount).toBe(2);
  });

  test("compresses a long body only for a client that accepts gzip", async () => {
    const { origin } = await start();
    const encodings = await Promise.all(
      ["gzip, br", "identity"].map(async (accepted) => {
        const response = await fetch(origin, { headers: { "accept-encoding": accepted } });
        return [response.headers.get("content-encoding"), await response.text()];
      }),
    );
    expect(encodings).toEqual([
      ["gzip", body],
      [null, body],
    ]);
  });

  test("sends a 304 without a body", async () => {
    const { origin } = await start({ handle: () => ({ status: 304, headers: { etag: '"1"' }, body: "" }) });
    const response = await fetch(origin);
    expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([304, '"1"', ""]);
  });

  test("responds with 500 if its handler throws", async () => {
    const { origin } = await start({
      handle: () => {
        throw new Error("no such table");
      },
    });
    expect(await send(origin)).toEqual([500, "text/plain; charset=utf-8", "stand-in failed: no such table"]);
  });
});

describe("a stand-in that misbehaves", () => {
  test.each<[Misbehaviour, unknown]>([
    [{ kind: "dead" }, "connection broke"],
    [{ kind: "truncated" }, "connection broke"],
    [{ kind: "failing" }, [500, "text/plain; charset=utf-8", "Internal server error"]],
    [{ kind: "limiting", retryAfterSeconds: 7 }, [429, "text/plain; charset=utf-8", "Too many requests"]],
    [{ kind: "html" }, [200, "text/html", expect.stringMatching(/^<!DOCTYPE html>/)]],
  ])("of the kind %j shows it to the client, and recovers on command", async (misbehaviour, seen) => {
    const server = await start();
    server.misbehaviour = misbehaviour;
    expect(await send(server.origin)).toEqual(seen);
    expect(server.misbehaviour).toEqual(misbehaviour);
    server.misbehaviour = { kind: "none" };
    expect(await send(server.origin)).toEqual([200, "application/json", body]);
    expect(server.requestCount).toBe(2);
  });

  test("of the limiting kind says when to retry", async () => {
    const server = await start();
    server.misbehaviour = { kind: "limiting", retryAfterSeconds: 7 };
    expect((await fetch(server.origin)).headers.get("retry-after")).toBe("7");
  });

  test("of the slow kind responds only after its delay, and drops a client that has gone", async () => {
    const waiting = new Map<number, () => void>();
    let arrived = (): void => {};
    let cancelled = (_delayMs: number): void => {};
    const clock: Clock = {
      ...systemClock,
      after(delayMs, run) {
        waiting.set(delayMs, run);
        arrived();
        return () => {
          waiting.delete(delayMs);
          cancelled(delayMs);
        };
      },
    };
    const server = await start({ clock });
    const arrival = (): Promise<void> =>
      new Promise((resolve) => {
        arrived = resolve;
      });

    server.misbehaviour = { kind: "slow", delayMs: 3000 };
    const firstArrival = arrival();
    const received = send(server.origin);
    await firstArrival;
    waiting.get(3000)?.();
    expect(await received).toEqual([200, "application/json", body]);

    server.misbehaviour = { kind: "slow", delayMs: 4000 };
    const secondArrival = arrival();
    const controller = new AbortController();
    const abandoned = fetch(server.origin, { signal: controller.signal }).catch((error: Error) => error.name);
    await secondArrival;
    const forgotten = new Promise<void>((resolve) => {
      cancelled = (delayMs) => {
        if (delayMs === 4000) {
          resolve();
        }
      };
    });
    controller.abort();
    expect(await abandoned).toBe("AbortError");
    await forgotten;
    expect(waiting.has(4000)).toBe(false);
  });
});
