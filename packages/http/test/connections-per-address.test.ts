import { describe, expect, test } from "vitest";
import { ConnectionsPerAddress } from "../src/connection-slots.ts";
import { dial, echo, listening, type Peer, until } from "./listening.ts";

describe("connections of one address", () => {
  test.each([
    { first: "192.0.2.1", second: "192.0.2.1", isOne: true },
    { first: "192.0.2.1", second: "::ffff:192.0.2.1", isOne: true },
    { first: "192.0.2.1", second: "192.0.2.2", isOne: false },
    { first: "2001:db8:1:2::1", second: "2001:db8:1:2:ffff:0:0:1", isOne: true },
    { first: "2001:db8:1:2::1", second: "2001:db8:1:3::1", isOne: false },
    { first: "2001:db8::1", second: "2001:db8:0:0:1::", isOne: true },
    { first: "2001:db8::1:0:0:0:1", second: "2001:db8:0:1::", isOne: true },
    { first: "::1", second: "::2", isOne: true },
    { first: "fe80::1", second: "::1", isOne: false },
  ])("$first and $second count as one address: $isOne", ({ first, second, isOne }) => {
    const connections = new ConnectionsPerAddress<never>();
    const ofFirst = connections.of(first);
    connections.opened(ofFirst);
    const counted = connections.of(second).count;
    connections.closed(ofFirst);
    expect([counted, connections.of(first).count]).toEqual([isOne ? 1 : 0, 0]);
  });

  test("over the limit are closed at once if all are in use, and there is room again when one is closed", async () => {
    const { port } = await listening((exchange) => exchange.path === "/served" && echo(exchange), {
      limits: { connectionsPerAddressMax: 2 },
    });
    const get = "GET /served HTTP/1.1\r\nhost: a\r\n\r\n";
    const kept = [await dial(port), await dial(port)] as const;
    for (const peer of kept) {
      peer.send(`${get}GET /unanswered HTTP/1.1\r\nhost: a\r\n\r\n`);
      await peer.until("/served");
    }
    const refused = await dial(port);
    expect(await refused.closed()).toBe("");
    kept[0].socket.resetAndDestroy();
    let served = false;
    while (!served) {
      const another = await dial(port);
      another.send(get);
      await until(() => another.received().includes("/served") || another.socket.destroyed);
      served = another.received().includes("/served");
    }
  });

  test("over the limit replace the one that has been idle longest, of the same address only", async () => {
    const { port, listener } = await listening(echo, { limits: { connectionsPerAddressMax: 2, connectionsMax: 3 } });
    const peers: Peer[] = [];
    for (const address of ["127.0.0.2", "127.0.0.1", "127.0.0.1"]) {
      const peer = await dial(port, address);
      peer.send("GET /served HTTP/1.1\r\nhost: a\r\n\r\n");
      await peer.until("/served");
      peers.push(peer);
    }
    const newcomer = await dial(port);
    newcomer.send("GET /served HTTP/1.1\r\nhost: a\r\n\r\n");
    await newcomer.until("/served");
    await peers[1]?.closed();
    expect(peers.map(({ socket }) => socket.closed)).toEqual([false, true, false]);
    await until(() => listener.connections().http1 === 3);
    expect(listener.connections()).toEqual({ unknown: 0, http1: 3, http2: 0, accepted: 4, rejected: 0, evicted: 1 });
  });

  test("are unlimited with a limit of 0", async () => {
    const { port } = await listening(echo, { limits: { connectionsPerAddressMax: 0 } });
    const peers = await Promise.all(Array.from({ length: 20 }, () => dial(port)));
    for (const peer of peers) {
      peer.send("GET /served HTTP/1.1\r\nhost: a\r\n\r\n");
    }
    await Promise.all(peers.map((peer) => peer.until("/served")));
  });
});
