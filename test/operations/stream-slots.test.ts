import { describe, expect, test } from "vitest";
import { StreamSlots } from "../../src/operations/stream-slots.ts";

describe("streams of callers without a key", () => {
  const taken = (slots: StreamSlots, peer: string): string => {
    try {
      slots.take(peer);
      return "ok";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("are limited per network, and one that ends makes room", () => {
    const slots = new StreamSlots({ inAllMax: 100, perNetworkMax: 2 });
    const full = "[resource_exhausted] Your network already has 2 streams without a key open, which is the maximum; retry in 5 s.";
    const end = slots.take("2001:db8::1");
    expect(["2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"].map((peer) => taken(slots, peer))).toEqual(["ok", full, "ok"]);
    end();
    expect(["2001:db8::4", "2001:db8::5"].map((peer) => taken(slots, peer))).toEqual(["ok", full]);
  });

  test("are limited in all, and one that ends makes room", () => {
    const slots = new StreamSlots({ inAllMax: 2, perNetworkMax: 2 });
    const full = "[resource_exhausted] Too many streams without a key are open; retry in 5 s.";
    const end = slots.take("192.0.2.1");
    expect(["192.0.2.2", "192.0.2.3"].map((peer) => taken(slots, peer))).toEqual(["ok", full]);
    end();
    expect(["192.0.2.3", "192.0.2.4"].map((peer) => taken(slots, peer))).toEqual(["ok", full]);
  });
});
