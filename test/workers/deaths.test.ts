// A thread that dies takes nothing with it but its connections: what it had under way is refunded, and another takes its place.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { callAll, reachAll, startCrew } from "./crew.ts";

const THREADS = 2;
const UNDER_WAY = 5;

// A mirror that takes requests and answers none; `arrived` waits for so many.
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

test("the month is exact when a thread is killed with calls under way, and another serves in its place", async () => {
  const mirror = await silentMirror();
  const crew = await startCrew(THREADS, {
    plans: { radio: [{ name: "free", callsPerMonth: 60, requestsPerSecond: 100_000 }] },
    variables: { QUINTET_RADIO_MIRRORS: mirror.origin },
  });
  const { secret } = await crew.makeCustomer({ radio: "free" });
  const [first, second] = (await reachAll(crew, THREADS)) as [Awaited<ReturnType<typeof crew.reach>>, never];
  const mistake = "/radio/v1/topvote?limit=0";
  expect(await callAll([first, second], mistake, secret, 10)).toEqual({ INVALID_ARGUMENT: 20 });

  const lost = Array.from({ length: UNDER_WAY }, (_, index) =>
    first.call(`/radio/v1/search?tag=tag-${index}`, secret).then(
      () => "answered",
      () => "cut",
    ),
  );
  await mirror.arrived(UNDER_WAY);
  await crew.workers.get("0.0")?.terminate();
  expect(await Promise.all(lost)).toEqual(Array.from({ length: UNDER_WAY }, () => "cut"));

  const replacement = await crew.reach("0.1");
  expect(await callAll([replacement, second], mistake, secret, 30)).toEqual({ INVALID_ARGUMENT: 40, QUOTA_EXCEEDED: 20 });
});
