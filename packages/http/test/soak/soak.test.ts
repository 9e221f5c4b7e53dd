// Random bytes for a short time; `npm run test:soak` sends them for an hour.
import { expect, test } from "vitest";
import { acceptedSockets, dialHttp2, echo, fetchHttp2, listening, until } from "../listening.ts";
import { soakConnection } from "./connection.ts";
import { randomFrom } from "./random.ts";

const CONNECTIONS = 600;
const AT_ONCE = 20;

test("random bytes leak nothing, and well-behaved callers are served in the meantime", async () => {
  const sockets = acceptedSockets();
  const { port } = await listening(echo);
  const good = dialHttp2(port);
  const statuses = new Set<number>();
  for (let seed = 0; seed < CONNECTIONS; seed += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => soakConnection(port, randomFrom(seed + index))));
    statuses.add((await fetchHttp2(good, { ":path": "/" })).status);
  }
  expect([...statuses]).toEqual([200]);
  await until(() => sockets.filter((socket) => !socket.destroyed).length === 1);
});
