// A thread that dies closes only its own connections: its calls in progress are refunded, and another thread replaces it.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { type AddressInfo, connect as dialSocket } from "node:net";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { callAll, MARK, reachAll, startWorkerPool } from "./worker-pool.ts";

const THREADS = 2;
const IN_FLIGHT = 5;

// A mirror that receives requests and never responds; `arrived` waits for a number of them.
async function silentMirror(): Promise<{ readonly origin: string; arrived(count: number): Promise<void> }> {
  const requests: ServerResponse[] = [];
  const server = createServer((_, response) => {
    requests.push(response);
    server.emit("arrival");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async arrived(count) {
      while (requests.length < count) {
        await once(server, "arrival");
      }
    },
  };
}

const ENDS: Readonly<Record<string, (worker: Worker | undefined) => unknown>> = {
  "is killed": (worker) => worker?.terminate(),
  "gets the command to end": (worker) => worker?.postMessage({ kind: "end" }),
  "fails by itself": (worker) => worker?.postMessage({ kind: "throws" }),
};

test.each(Object.entries(ENDS))(
  "the month's count is exact when a thread %s with calls in progress, and another thread replaces it",
  async (_, end) => {
    const mirror = await silentMirror();
    const options = {
      plans: { radio: [{ name: "free", callsPerMonth: 60, requestsPerSecond: 100_000 }] },
      variables: { QUINTET_RADIO_MIRRORS: mirror.origin },
    };
    const workerPool = await startWorkerPool(THREADS, options, "./crashable-worker.ts");
    const { secret } = await workerPool.makeCustomer({ radio: "free" });
    const [first, second] = (await reachAll(workerPool, THREADS)) as [Awaited<ReturnType<typeof workerPool.reach>>, never];
    const mistake = "/radio/v1/topvote?limit=0";
    expect(await callAll([first, second], mistake, secret, 10)).toEqual({ INVALID_ARGUMENT: 20 });

    const lost = Array.from({ length: IN_FLIGHT }, (_, index) =>
      first.call(`/radio/v1/search?tag=tag-${index}`, secret).then(
        () => "responded",
        () => "cut",
      ),
    );
    await mirror.arrived(IN_FLIGHT);
    end(workerPool.workers.get("0.0"));
    expect(await Promise.all(lost)).toEqual(Array.from({ length: IN_FLIGHT }, () => "cut"));

    const replacement = await workerPool.reach("0.1");
    expect(await callAll([replacement, second], mistake, secret, 30)).toEqual({ INVALID_ARGUMENT: 40, QUOTA_EXCEEDED: 20 });
  },
);

test("no thread tells its callers to reconnect before every thread has closed its port", async () => {
  const workerPool = await startWorkerPool(THREADS, {}, "./crashable-worker.ts");
  const { port } = new URL(workerPool.origin);
  const session = connect(workerPool.origin);
  const [{ [MARK]: thread }] = (await once(session.request({ ":path": "/farkle/v1/score?dice=1" }), "response")) as [
    IncomingHttpHeaders,
  ];
  workerPool.workers.get(thread === "0.0" ? "1.0" : "0.0")?.postMessage({ kind: "is busy" });
  const comingAgain = once(session, "goaway").then(() => once(dialSocket(Number(port), "127.0.0.1"), "connect"));
  const closed = workerPool.close();
  await expect(comingAgain).rejects.toThrow("ECONNREFUSED");
  await closed;
});
