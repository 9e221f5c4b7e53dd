import { describe, expect, test } from "vitest";
import { WorkerHealth } from "../../../src/operations/health/worker-health.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

// A worker with a service that needs nothing, and one with a dependency.
function scene() {
  const clock = createManualClock({ nowMs: 0 });
  const state = { canAdmit: true, hasLists: true, hasStarted: true };
  const services = new Map([
    ["dice", undefined],
    ["lists", () => state.hasLists],
  ]);
  const options = { services, canAdmit: () => state.canAdmit, hasStarted: () => state.hasStarted, clock };
  return { clock, state, health: new WorkerHealth(options) };
}

const never = new AbortController().signal;

describe("the status", () => {
  test.each([
    { when: "all is well", change: {}, overall: "SERVING", dice: "SERVING", lists: "SERVING", notReady: undefined },
    {
      when: "a service lacks what it needs",
      change: { hasLists: false },
      overall: "SERVING",
      dice: "SERVING",
      lists: "NOT_SERVING",
      notReady: undefined,
    },
    {
      when: "a service has not yet tried to get what it needs",
      change: { hasLists: false, hasStarted: false },
      overall: "NOT_SERVING",
      dice: "SERVING",
      lists: "NOT_SERVING",
      notReady: "starting",
    },
    {
      when: "nobody can be admitted",
      change: { canAdmit: false },
      overall: "NOT_SERVING",
      dice: "NOT_SERVING",
      lists: "NOT_SERVING",
      notReady: "limits-unavailable",
    },
  ])("when $when", ({ change, overall, dice, lists, notReady }) => {
    const { health, state } = scene();
    Object.assign(state, change);
    expect(health.notReady).toBe(notReady);
    expect([...health.all()]).toEqual([
      ["", overall],
      ["dice", dice],
      ["lists", lists],
    ]);
  });

  test("of every service is NOT_SERVING from the start of a drain, whatever else happens", () => {
    const { health, state } = scene();
    health.drain();
    state.canAdmit = false;
    expect(health.notReady).toBe("draining");
    expect(new Set(health.all().values())).toEqual(new Set(["NOT_SERVING"]));
  });

  test("of a service that does not exist is unknown", () => {
    expect(scene().health.statusOf("nobody")).toBeUndefined();
  });
});

describe("a wait for a change", () => {
  // Whether a promise has resolved, after everything that was due has run.
  async function isOver(promise: Promise<void>): Promise<boolean> {
    let over = false;
    promise.then(() => {
      over = true;
    });
    await new Promise(setImmediate);
    return over;
  }

  test("checks again after a second, and not before", async () => {
    const { clock, health } = scene();
    const look = health.untilNextCheck(never);
    clock.advance(999);
    expect(await isOver(look)).toBe(false);
    clock.advance(1);
    expect(await isOver(look)).toBe(true);
  });

  test("checks again at once when a drain begins", async () => {
    const { health } = scene();
    const looks = [health.untilNextCheck(never), health.untilNextCheck(never)];
    health.drain();
    expect(await Promise.all(looks.map(isOver))).toEqual([true, true]);
  });

  test("ends when its own signal aborts, while the others continue", async () => {
    const { health } = scene();
    const gone = new AbortController();
    const looks = [health.untilNextCheck(gone.signal), health.untilNextCheck(never)];
    gone.abort();
    expect(await Promise.all(looks.map(isOver))).toEqual([true, false]);
    expect(await isOver(health.untilNextCheck(gone.signal))).toBe(true);
  });

  test("shares one timer with all others, which is cancelled when the last of them ends", async () => {
    const { clock, health } = scene();
    const gone = new AbortController();
    expect(clock.pending).toBe(0);
    const looks = Array.from({ length: 5 }, () => health.untilNextCheck(gone.signal));
    expect(clock.pending).toBe(1);
    gone.abort();
    await Promise.all(looks);
    expect(clock.pending).toBe(0);
  });
});
