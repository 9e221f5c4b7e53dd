// No statement of the store reads a table that grows from beginning to end. The list of statements is complete: each method of the store is
// called, and each function that makes statements has run.
import { readdirSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { beforeAll, expect, test } from "vitest";
import { postgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { type AtScale, runAtScale, SMALL_TABLES } from "./at-scale.ts";

// Counts of all subscriptions, of the command line's list, a move of every subscriber of a plan, which here is a third of them, all
// income, and what is due of all who pay by card (26 ms for 10,500 of them).
const ABOUT_ALL = ["subscriptionPage 1", "subscriptionPage 3", "scheduleMoves 1", "paidPeriods 1", "duePayments 1"];

const SIZE = { accounts: 30_000, keys: 60_000, usageRows: 120_000 };
const REPOSITORIES = new URL("../../../src/store/repositories/", import.meta.url);
const CHANGES_AND_NODES = ["acknowledgements.ts", "change-log.ts", "change-protocol.ts", "node-registry.ts"];

describeWith(postgres, "A PostgreSQL with many accounts", () => {
  let run: AtScale;
  let called: ReadonlySet<string>;
  beforeAll(async () => {
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    run = await runAtScale(SIZE, { shared_buffers: "256MB", max_wal_size: "1GB" });
    const { result } = await session.post("Profiler.takePreciseCoverage");
    session.disconnect();
    called = new Set(
      result
        .filter(({ url }) => url.includes("/src/store/repositories/"))
        .flatMap(({ functions }) =>
          functions.flatMap(({ functionName, ranges }) => (ranges.some(({ count }) => count > 0) ? functionName : [])),
        ),
    );
  });

  test("is read completely by no statement, except its small tables", () => {
    const found = run.plans
      .filter(({ call }) => !ABOUT_ALL.includes(call))
      .flatMap(({ call, text, scanned }) =>
        scanned.filter((table) => !(table in SMALL_TABLES)).map((table) => `${call} reads ${table}: ${text}`),
      );
    expect([...new Set(found)]).toEqual([]);
  });

  test("responds to every call", () => {
    expect(run.calls.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  test("has received statements from every function that makes them", () => {
    const functions = readdirSync(REPOSITORIES)
      .filter((file) => !CHANGES_AND_NODES.includes(file))
      .flatMap((file) => {
        const source = readFileSync(new URL(file, REPOSITORIES), "utf8");
        const names = source.matchAll(/^(?:(?:export )?async function|export (?:function|const)) (\w+)(?=[^\n]*(?:\(|=> |$))/gm);
        // What a table of methods names is a function of the same file.
        return Array.from(names, ([, name = ""]) => name).filter((name) => /^[a-z]/.test(name) && !name.endsWith("Methods"));
      });
    expect(functions.length).toBeGreaterThan(80);
    // The embedded database has its own form of leases (serialLeases, countersOf, writeCounters). A condition and an error are not statements.
    // `notePlans` and `noteDispute` only word alerts: `addAlerts` and `operatorAlerts`, which noteRequest calls too, make the statements.
    // The others find rows by a primary key, for callers that repeat a request, take a former address, or have a disabled endpoint.
    expect(functions.filter((name) => !called.has(name))).toEqual([
      "isOfSubscription",
      "requireKey",
      "serialLeases",
      "countersOf",
      "writeCounters",
      "noSubscription",
      "leasesOf",
      "notePlans",
      "noteDispute",
      "fail",
      "noEndpoint",
    ]);
  });
});
