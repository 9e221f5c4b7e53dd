// Tries to sign in from many networks: what they may do to an owner, to their neighbours and to everybody else.
import { describe, expect, test } from "vitest";
import { SignInPace } from "../../../src/account/rpc/sign-in-pace.ts";
import type { Failure } from "../../../src/problem/failure.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const ADA = "ada@example.com";
const HOME = "198.51.100.7";

// How many of so many tries are let in.
function letIn(count: number, make: (index: number) => void): number {
  let seen = 0;
  for (let index = 0; index < count; index++) {
    try {
      make(index);
      seen += 1;
    } catch (thrown) {
      expect((thrown as Failure).problem.reason).toBe("RATE_LIMITED");
    }
  }
  return seen;
}

function open() {
  const clock = createManualClock({ nowMs: 0 });
  return { clock, pace: new SignInPace(clock) };
}

describe("eight networks that try an owner's address as often as they may", () => {
  // 64 tries and more of them, until what all networks share at the address is used up.
  function attack(pace: SignInPace): void {
    letIn(100, (index) => pace.tryAddress(`203.0.${index % 8}.1`, ADA));
  }

  test("do not shut out the owner at a network from which they signed in lately", () => {
    const { pace } = open();
    pace.succeeded(HOME, ADA);
    attack(pace);
    expect(letIn(11, () => pace.tryAddress(HOME, ADA))).toBe(10);
  });

  test("nor at another network, for two tries", () => {
    const { pace, clock } = open();
    attack(pace);
    expect(letIn(11, () => pace.tryAddress(HOME, ADA))).toBe(2);
    clock.advance(1_800_000);
    attack(pace);
    expect(letIn(11, () => pace.tryAddress(HOME, ADA))).toBe(1);
  });

  test("nor after a month without, beyond that", () => {
    const { pace, clock } = open();
    pace.succeeded(HOME, ADA);
    clock.advance(30 * 86_400_000);
    attack(pace);
    expect(letIn(11, () => pace.tryAddress(HOME, ADA))).toBe(2);
  });

  test("and no other owner at all", () => {
    const { pace } = open();
    attack(pace);
    expect(letIn(11, () => pace.tryAddress(HOME, "bob@example.com"))).toBe(10);
  });
});

describe("requests are counted for", () => {
  test.each([
    ["an address of IPv4", () => "203.0.113.9", 30],
    ["its 256 neighbours", (index: number) => `203.0.113.${index % 256}`, 120],
    ["a network /64 of IPv6", (index: number) => `2001:db8:1:2::${index}`, 30],
    ["a network /56", (index: number) => `2001:db8:1:${(index % 256).toString(16)}::1`, 120],
    ["a network /48", (index: number) => `2001:db8:1:${(index % 65_536).toString(16)}::1`, 480],
  ])("%s together", (_, peerOf, expected) => {
    const { pace } = open();
    expect(letIn(2000, (index) => pace.takeRequest(peerOf(index)))).toBe(expected);
  });

  test("each network, but no neighbours use up what one has from which somebody signed in lately", () => {
    const { pace } = open();
    pace.succeeded("2001:db8:1:ff00::1", ADA);
    letIn(2000, (index) => pace.takeRequest(`2001:db8:1:${(index % 4096).toString(16)}::1`));
    const seen = ["2001:db8:1:ff00::2", "2001:db8:1:ff01::1", "2001:db8:2::1"];
    expect(seen.map((peer) => letIn(31, () => pace.takeRequest(peer)))).toEqual([30, 0, 30]);
  });
});

describe("sign-ups", () => {
  test("are ten at once of one network, and 40 of its neighbours", () => {
    const { pace } = open();
    expect(letIn(20, () => pace.trySignUp("203.0.113.9"))).toBe(10);
    expect(letIn(2000, (index) => pace.trySignUp(`203.0.113.${index % 256}`))).toBe(30);
  });

  test("stop for ten minutes after the third address that was taken", () => {
    const { pace, clock } = open();
    const tryTaken = (): void => {
      pace.trySignUp(HOME);
      pace.wasTaken(HOME);
    };
    expect(letIn(5, tryTaken)).toBe(3);
    clock.advance(599_999);
    expect(letIn(5, tryTaken)).toBe(0);
    clock.advance(1);
    expect(letIn(5, tryTaken)).toBe(1);
  });
});

test("those who have tried least go first, after those who signed in lately", () => {
  const { pace, clock } = open();
  letIn(30, () => pace.takeRequest("203.0.113.9"));
  pace.takeRequest(HOME);
  pace.succeeded(HOME, ADA);
  const priorities = () => [
    pace.priorityOf("203.0.113.9", ADA),
    pace.priorityOf(HOME, "bob@example.com"),
    pace.priorityOf(HOME, ADA),
  ];
  expect(priorities()).toEqual([
    { isKnown: false, triesLately: 30 },
    { isKnown: false, triesLately: 1 },
    { isKnown: true, triesLately: 1 },
  ]);
  clock.advance(30 * 60_000);
  expect(priorities().map(({ triesLately }) => triesLately)).toEqual([0, 0, 0]);
});

test("networks that keep trying, however slowly, go behind one that begins", () => {
  const { pace, clock } = open();
  const crowd = Array.from({ length: 250 }, (_, index) => `203.0.${index}.9`);
  for (let round = 0; round < 10; round++) {
    for (const peer of crowd) {
      pace.takeRequest(peer);
    }
    clock.advance(3000);
  }
  pace.takeRequest(HOME);
  const ahead = crowd.filter((peer) => pace.priorityOf(peer, ADA).triesLately <= pace.priorityOf(HOME, ADA).triesLately);
  expect(ahead).toEqual([]);
});
