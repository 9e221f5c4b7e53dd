// The author of a change learns when all servers apply it, and which ones do not.
import { describe, expect, test } from "vitest";
import { ACKNOWLEDGED, Acknowledgements } from "../../../src/store/repositories/acknowledgements.ts";
import { PROTOCOL } from "../../../src/store/repositories/change-log.ts";
import type { Store } from "../../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { postgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { settled } from "../../guard/scene.ts";
import { migratedDatabases } from "../postgres/migrated-databases.ts";

describe("waiting for the servers", () => {
  type Nodes = Readonly<Record<string, number>>;
  const appliedBy = (nodes: Nodes): number | undefined =>
    Object.keys(nodes).length === 0 ? undefined : Math.min(...Object.values(nodes));
  const behind = (nodes: Nodes) => Object.entries(nodes).map(([id, changeNumber]) => ({ id, changeNumber }));
  const waitingFor = (clock: ManualClock, nodes: () => Nodes): Acknowledgements =>
    new Acknowledgements({
      clock,
      appliedByAll: async () => appliedBy(nodes()),
      behind: async () => behind(nodes()),
      aliveNodes: () => 2,
    });

  test("waits until all of them have applied the change, but no later change", async () => {
    const clock = createManualClock({ nowMs: 0 });
    let nodes: Nodes = { first: 4, second: 6 };
    const acknowledgements = waitingFor(clock, () => nodes);
    const [early, late] = [acknowledgements.wait(Promise.resolve(5)), acknowledgements.wait(Promise.resolve(7))];
    await settled();
    nodes = { first: 5, second: 6 };
    clock.advance(50);
    expect(await early).toEqual(ACKNOWLEDGED);
    nodes = {};
    await settled();
    clock.advance(50);
    expect(await late).toEqual(ACKNOWLEDGED);
    await settled();
    expect(clock.pending).toBe(0);
  });

  test("waits two seconds at most, and names the missing servers", async () => {
    const clock = createManualClock({ nowMs: 0 });
    const response = waitingFor(clock, () => ({ first: 4, second: 2 })).wait(Promise.resolve(4));
    for (let elapsedMs = 0; elapsedMs < 1950; elapsedMs += 50) {
      await settled();
      clock.advance(50);
    }
    const pending = Symbol("pending");
    await settled();
    expect(await Promise.race([response, Promise.resolve(pending)])).toBe(pending);
    clock.advance(50);
    expect(await response).toEqual({ isComplete: false, missing: ["second"] });
  });

  test("waits two seconds at most even if the change is not announced by then", async () => {
    const clock = createManualClock({ nowMs: 0 });
    const { promise: number, resolve } = Promise.withResolvers<number>();
    const response = waitingFor(clock, () => ({})).wait(number);
    clock.advance(2000);
    expect(await response).toEqual({ isComplete: false, missing: [] });
    resolve(1);
    await settled();
    expect(clock.pending).toBe(0);
  });

  test("does not report success if the database fails", async () => {
    const clock = createManualClock({ nowMs: 0 });
    const fail = () => Promise.reject(new Error("away"));
    const acknowledgements = new Acknowledgements({ clock, appliedByAll: fail, behind: fail, aliveNodes: () => 2 });
    const response = acknowledgements.wait(Promise.resolve(1));
    await settled();
    clock.advance(2000);
    expect(await response).toEqual({ isComplete: false, missing: [] });
  });

  test("sends one query at a time, however many wait", async () => {
    const clock = createManualClock({ nowMs: 0 });
    let requested = 0;
    const responses = Promise.withResolvers<undefined>();
    const acknowledgements = new Acknowledgements({
      clock,
      appliedByAll() {
        requested++;
        return responses.promise;
      },
      behind: async () => [],
      aliveNodes: () => 2,
    });
    const waiting = Array.from({ length: 100 }, (_, number) => acknowledgements.wait(Promise.resolve(number)));
    await settled();
    expect(requested).toBe(0);
    // Other servers have not had time before.
    clock.advance(50);
    await settled();
    expect(requested).toBe(1);
    waiting.push(acknowledgements.wait(Promise.resolve(100)));
    await settled();
    expect(requested).toBe(1);
    responses.resolve(undefined);
    await settled();
    clock.advance(50);
    await Promise.all(waiting);
    expect(requested).toBe(2);
  });
});

describeWith(postgres, "On PostgreSQL", () => {
  const database = migratedDatabases();

  test.each(["server", "command"] as const)("every server has received a %s's change once it is acknowledged", async (role) => {
    const nodes = [await database.open("server"), await database.open("server")];
    const maker = role === "command" ? await database.open("command") : (nodes[0] as Store);
    const received = nodes.map((): string[] => []);
    nodes.forEach((node, index) => {
      node.onChange((accountId = "any") => received[index]?.push(accountId));
    });
    expect(await maker.acknowledged()).toEqual(ACKNOWLEDGED);
    await maker.createAccount({ id: "a-1", name: "acme", email: null });
    for (let change = 0; change < 20; change++) {
      await maker.setSuspended("a-1", change % 2 === 0);
      expect(await maker.acknowledged()).toEqual(ACKNOWLEDGED);
      expect(received.map((accounts) => [...new Set(accounts.splice(0))])).toEqual([["a-1"], ["a-1"]]);
    }
  });

  test("an unconfirmed server that may still be serving is named", async () => {
    const command = await database.open("command");
    await database.query(
      `INSERT INTO nodes VALUES ('lost', 0, extract(epoch from now()) * 1000 + 60000, ${PROTOCOL}), ('gone', 0, 0, ${PROTOCOL})`,
    );
    await command.createAccount({ id: "a-1", name: "acme", email: null });
    expect(await command.acknowledged()).toEqual({ isComplete: false, missing: ["lost"] });
  });
});
