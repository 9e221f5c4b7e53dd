// Attempts to sign in from many networks, and their effect on an owner, on their neighbours and on everybody else.
import { describe, expect, test } from "vitest";
import { SignInThrottle } from "../../../src/account/rpc/sign-in-throttle.ts";
import type { Failure } from "../../../src/problem/failure.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const ADA = "ada@example.com";
const HOME = "198.51.100.7";

// How many of `count` attempts are admitted.
function countAdmitted(count: number, make: (index: number) => void): number {
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
  return { clock, throttle: new SignInThrottle(clock) };
}

describe("eight networks that try to sign in as an owner as often as they may", () => {
  // Enough attempts to use up the limit that all networks share for the address.
  function attack(throttle: SignInThrottle): void {
    countAdmitted(100, (index) => throttle.trySignIn(`203.0.${index % 8}.1`, ADA));
  }

  test("do not lock out the owner on a network from which they signed in recently", () => {
    const { throttle } = open();
    throttle.recordSuccess(HOME, ADA);
    attack(throttle);
    expect(countAdmitted(11, () => throttle.trySignIn(HOME, ADA))).toBe(10);
  });

  test("leave the owner two attempts on another network", () => {
    const { throttle, clock } = open();
    attack(throttle);
    expect(countAdmitted(11, () => throttle.trySignIn(HOME, ADA))).toBe(2);
    clock.advance(1_800_000);
    attack(throttle);
    expect(countAdmitted(11, () => throttle.trySignIn(HOME, ADA))).toBe(1);
  });

  test("leave the owner the same two attempts a month after their last sign-in", () => {
    const { throttle, clock } = open();
    throttle.recordSuccess(HOME, ADA);
    clock.advance(30 * 86_400_000);
    attack(throttle);
    expect(countAdmitted(11, () => throttle.trySignIn(HOME, ADA))).toBe(2);
  });

  test("do not affect any other owner", () => {
    const { throttle } = open();
    attack(throttle);
    expect(countAdmitted(11, () => throttle.trySignIn(HOME, "bob@example.com"))).toBe(10);
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
    const { throttle } = open();
    expect(countAdmitted(2000, (index) => throttle.takeRequest(peerOf(index)))).toBe(expected);
  });

  test("each network, but its neighbours cannot use up the requests of a network from which somebody signed in recently", () => {
    const { throttle } = open();
    throttle.recordSuccess("2001:db8:1:ff00::1", ADA);
    countAdmitted(2000, (index) => throttle.takeRequest(`2001:db8:1:${(index % 4096).toString(16)}::1`));
    const seen = ["2001:db8:1:ff00::2", "2001:db8:1:ff01::1", "2001:db8:2::1"];
    expect(seen.map((peer) => countAdmitted(31, () => throttle.takeRequest(peer)))).toEqual([30, 0, 30]);
  });
});

describe("sign-ups", () => {
  test("are limited to a burst of ten for a network, and 40 for all its neighbours", () => {
    const { throttle } = open();
    expect(countAdmitted(20, () => throttle.trySignUp("203.0.113.9"))).toBe(10);
    expect(countAdmitted(2000, (index) => throttle.trySignUp(`203.0.113.${index % 256}`))).toBe(30);
  });

  test("stop for ten minutes after the third address that already has an account", () => {
    const { throttle, clock } = open();
    const tryTaken = (): void => {
      throttle.trySignUp(HOME);
      throttle.recordTaken(HOME);
    };
    expect(countAdmitted(5, tryTaken)).toBe(3);
    clock.advance(599_999);
    expect(countAdmitted(5, tryTaken)).toBe(0);
    clock.advance(1);
    expect(countAdmitted(5, tryTaken)).toBe(1);
  });
});

test("those with the fewest attempts go first, after those who signed in recently", () => {
  const { throttle, clock } = open();
  countAdmitted(30, () => throttle.takeRequest("203.0.113.9"));
  throttle.takeRequest(HOME);
  throttle.recordSuccess(HOME, ADA);
  const priorities = () => [
    throttle.priorityOf("203.0.113.9", ADA),
    throttle.priorityOf(HOME, "bob@example.com"),
    throttle.priorityOf(HOME, ADA),
  ];
  expect(priorities()).toEqual([
    { isKnown: false, recentAttempts: 30 },
    { isKnown: false, recentAttempts: 1 },
    { isKnown: true, recentAttempts: 1 },
  ]);
  clock.advance(30 * 60_000);
  expect(priorities().map(({ recentAttempts }) => recentAttempts)).toEqual([0, 0, 0]);
});

test("networks that keep trying, however slowly, go behind one that has just started", () => {
  const { throttle, clock } = open();
  const crowd = Array.from({ length: 250 }, (_, index) => `203.0.${index}.9`);
  for (let round = 0; round < 10; round++) {
    for (const peer of crowd) {
      throttle.takeRequest(peer);
    }
    clock.advance(3000);
  }
  throttle.takeRequest(HOME);
  const ahead = crowd.filter(
    (peer) => throttle.priorityOf(peer, ADA).recentAttempts <= throttle.priorityOf(HOME, ADA).recentAttempts,
  );
  expect(ahead).toEqual([]);
});
