// Peers that send octet by octet, a thousand in all: each is ended when the time is up for what it sends, and a good caller is served beside them.
import { expect, test } from "vitest";
import { FAREWELL_MS } from "../../src/http/linger.ts";
import { DRIPS } from "./drips.ts";
import { acceptedSockets, ask, dial, dialHttp2, echo, listening, until } from "./listening.ts";

const CONNECTIONS = 125;
const OCTETS = 3;

test.each(DRIPS)("$what, octet by octet, is ended in time, and a good caller served beside it", async (drip) => {
  const { opening, rest, timeoutMs, told } = drip;
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
  for (let octet = 0; octet < OCTETS; octet += 1) {
    for (const peer of peers) {
      peer.send(rest.subarray(octet, octet + 1));
    }
    await until(() => dripped.every(({ bytesRead }) => bytesRead === opening.length + octet + 1));
    statuses.push((await ask(good, { ":path": "/" })).status);
    clock.advance((timeoutMs - 1) / OCTETS);
  }
  expect(peers.filter(({ socket }) => socket.destroyed)).toEqual([]);
  clock.advance(1);
  await until(() => peers.every((peer) => (told === "" ? peer.socket.destroyed : peer.received().includes(told))));
  statuses.push((await ask(good, { ":path": "/" })).status);
  expect(statuses).toEqual(Array(OCTETS + 1).fill(200));
  clock.advance(FAREWELL_MS);
});
