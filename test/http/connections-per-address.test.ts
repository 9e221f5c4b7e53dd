import { describe, expect, test } from "vitest";
import { ConnectionsPerAddress } from "../../src/http/connections-per-address.ts";
import { dial, echo, listening, until } from "./listening.ts";

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
  ])("$first and $second count as one: $isOne", ({ first, second, isOne }) => {
    const connections = new ConnectionsPerAddress(1);
    const close = connections.open(first);
    const isRefused = connections.open(second) === undefined;
    close?.();
    expect({ isRefused, hasRoomAgain: connections.open(first) !== undefined }).toEqual({ isRefused: isOne, hasRoomAgain: true });
  });

  test("over the limit are closed at once, and there is room again when one is closed", async () => {
    const { port } = await listening(echo, { limits: { connectionsPerAddressMax: 2 } });
    const get = "GET /served HTTP/1.1\r\nhost: a\r\n\r\n";
    const kept = [await dial(port), await dial(port)] as const;
    for (const peer of kept) {
      peer.send(get);
      await peer.until("/served");
    }
    const refused = await dial(port);
    expect(await refused.closed()).toBe("");
    kept[0].socket.destroy();
    let served = false;
    while (!served) {
      const another = await dial(port);
      another.send(get);
      await until(() => another.received().includes("/served") || another.socket.destroyed);
      served = another.received().includes("/served");
    }
  });

  test("may be any number with a limit of 0", async () => {
    const { port } = await listening(echo, { limits: { connectionsPerAddressMax: 0 } });
    const peers = await Promise.all(Array.from({ length: 20 }, () => dial(port)));
    for (const peer of peers) {
      peer.send("GET /served HTTP/1.1\r\nhost: a\r\n\r\n");
    }
    await Promise.all(peers.map((peer) => peer.until("/served")));
  });
});
