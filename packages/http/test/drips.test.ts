// A thousand peers that send byte by byte: each is cut off at its timeout, and a well-behaved caller is still served.
import { expect, test } from "vitest";
import { PEER_REACTION_MS } from "../src/linger.ts";
import { DRIPS } from "./drips.ts";
import { acceptedSockets, dial, dialHttp2, echo, fetchHttp2, listening, until } from "./listening.ts";

const CONNECTIONS = 125;
const BYTES = 3;

test.each(DRIPS)("$what, byte by byte, is ended in time, and a good caller is still served", async (drip) => {
  const { opening, rest, timeoutMs, response } = drip;
  const accepted = acceptedSockets();
  const { port, clock } = await listening(echo);
  const peers = await Promise.all(Array.from({ length: CONNECTIONS }, () => dial(port)));
  await until(() => accepted.length === CONNECTIONS);
  const dripped = [...accepted];
  const good = dialHttp2(port);
  const statuses: number[] = [];
  for (const peer of peers) {
    peer.send(opening);
  }
  for (let sent = 0; sent < BYTES; sent += 1) {
    for (const peer of peers) {
      peer.send(rest.subarray(sent, sent + 1));
    }
    await until(() => dripped.every(({ bytesRead }) => bytesRead === opening.length + sent + 1));
    statuses.push((await fetchHttp2(good, { ":path": "/" })).status);
    clock.advance((timeoutMs - 1) / BYTES);
  }
  expect(peers.filter(({ socket }) => socket.destroyed)).toEqual([]);
  clock.advance(1);
  await until(() => peers.every((peer) => (response === "" ? peer.socket.destroyed : peer.received().includes(response))));
  statuses.push((await fetchHttp2(good, { ":path": "/" })).status);
  expect(statuses).toEqual(Array(BYTES + 1).fill(200));
  clock.advance(PEER_REACTION_MS);
});
