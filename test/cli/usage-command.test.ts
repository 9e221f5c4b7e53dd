import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { newBatch } from "../fixtures/new-batch.ts";
import { type CommandLine, createCommandLine, nthId, printed, refused } from "./command-line.ts";

const search = "quintet.radio.v1.RadioService/SearchStations";

// An account with two active subscriptions and one that waits, and calls in two months.
async function used(): Promise<CommandLine> {
  const commandLine = createCommandLine();
  const { run, dataDir, clock } = commandLine;
  await run("account create acme");
  await run("subscription create acme radio");
  await run("subscription create acme farkle --plan pro");
  await run("subscription create acme bitcoin");
  const store = await openStore({ dataDir, clock, role: "command" });
  const count = { accountId: nthId(1), keyId: "k-1", service: "radio", method: search, hour: 9, outcome: "OK", calls: 1 } as const;
  await store.addUsage(
    [
      { ...count, day: "2026-10-31", calls: 7 },
      { ...count, day: "2026-11-01", calls: 1200 },
      { ...count, day: "2026-11-21", keyId: "k-2", calls: 34 },
      { ...count, day: "2026-11-21", outcome: "UPSTREAM_FAILED", calls: 5 },
      { ...count, day: "2026-11-21", outcome: "INVALID_ARGUMENT", calls: 6 },
      { ...count, day: "2026-11-21", method: "quintet.radio.v1.RadioService/GetStation" },
    ],
    newBatch(),
  );
  const refusal = {
    accountId: nthId(1),
    keyId: "k-1",
    service: "radio",
    day: "2026-11-21",
    hour: 9,
    calls: 4,
    rateNeeded: 0,
  } as const;
  await store.addRefusals(
    [
      { ...refusal, reason: "RATE_LIMITED", calls: 1214 },
      { ...refusal, reason: "RATE_LIMITED", keyId: "k-2" },
      { ...refusal, reason: "KEY_REVOKED" },
      { ...refusal, service: "token-list", reason: "SUBSCRIPTION_REQUIRED" },
    ],
    newBatch(),
  );
  await store.addLatency([{ accountId: nthId(1), service: "radio", hour: "2026-11-21T09", latency: [0, 0, 0, 0, 0, 0, 0, 1200] }]);
  await store.lease(nthId(2), "2026-11", 20_000, 1300);
  await store.close();
  return commandLine;
}

describe("quintet usage", () => {
  test("shows this month by default", async () => {
    const { run } = await used();
    expect(await run("usage acme")).toEqual(
      printed(
        [
          "Usage of acme from 2026-11-01 to 2026-11-21, UTC",
          "",
          "SERVICE     CALLS  COUNTED  PLAN  USED 2026-11   QUOTA    LEFT  HELD",
          "radio       1 246    1 241  free         1 241  20 000  18 759    59",
          "token-list      0        0  -                -       -       -     -",
          "bitcoin         0        0  free             0     650     650     0",
          "farkle          0        0  free             0   7 460   7 460     0",
          "",
          "METHOD                                        OUTCOME           CALLS",
          "quintet.radio.v1.RadioService/GetStation      OK                    1",
          "quintet.radio.v1.RadioService/SearchStations  OK                1 234",
          "quintet.radio.v1.RadioService/SearchStations  INVALID_ARGUMENT      6",
          "quintet.radio.v1.RadioService/SearchStations  UPSTREAM_FAILED       5",
          "",
          "SERVICE     REFUSED                CALLS",
          "radio       KEY_REVOKED                4",
          "radio       RATE_LIMITED           1 218",
          "token-list  SUBSCRIPTION_REQUIRED      4",
          "",
          "SERVICE  MEASURED  MEDIAN      P95      P99",
          "radio       1 200   24 ms  31.2 ms  31.8 ms",
          "",
        ].join("\n"),
      ),
    );
  });

  test("shows another span, with this month's status next to it", async () => {
    const { run } = await used();
    expect(await run("usage acme --service radio --from 2026-10-01 --to 2026-10-31")).toEqual(
      printed(
        [
          "Usage of acme from 2026-10-01 to 2026-10-31, UTC",
          "",
          "SERVICE  CALLS  COUNTED  PLAN  USED 2026-11   QUOTA    LEFT  HELD",
          "radio        7        7  free         1 241  20 000  18 759    59",
          "",
          "METHOD                                        OUTCOME  CALLS",
          "quintet.radio.v1.RadioService/SearchStations  OK           7",
          "",
        ].join("\n"),
      ),
    );
  });

  test("--json prints the report", async () => {
    const { run } = await used();
    expect(JSON.parse((await run("usage acme --to 2026-11-01 --service radio --json")).out)).toEqual({
      account_id: nthId(1),
      account: "acme",
      month: "2026-11",
      from: "2026-11-01",
      to: "2026-11-01",
      services: [
        {
          service: "radio",
          standing: {
            plan: "free",
            calls_per_month: 20_000,
            counted: 1241,
            leased: 1300,
            credited: 0,
            remaining: 18_759,
            held: 59,
          },
          calls: 1200,
          counted: 1200,
          by_method: [{ method: search, outcome: "OK", calls: 1200 }],
          refused: [],
          latency: null,
        },
      ],
    });
  });

  test("--json has the response times", async () => {
    const { run } = await used();
    const { services } = JSON.parse((await run("usage acme --service radio --json")).out);
    expect(services[0].latency).toEqual({ calls: 1200, median_ms: 24, p95_ms: 31.2, p99_ms: 31.8 });
  });

  test("a service that was called but is no longer subscribed to has no quota", async () => {
    const { run } = await used();
    await run("subscription cancel acme radio");
    expect((await run("usage acme --service radio --from 2026-10-31 --to 2026-10-31")).out).toContain(
      "SERVICE  CALLS  COUNTED  PLAN  USED 2026-11  QUOTA  LEFT  HELD\nradio        7        7  -                -      -     -     -\n",
    );
  });

  test("an account without subscriptions has none", async () => {
    const { run } = createCommandLine();
    await run("account create acme");
    expect((await run("usage acme")).out).toBe(
      "Usage of acme from 2026-11-01 to 2026-11-21, UTC\n\nNo subscriptions, and no calls.\n",
    );
  });

  test.for([
    {
      line: "usage nobody",
      exit: "notFound" as const,
      message: "There is no account called nobody; `quintet account list` shows them.",
    },
    {
      line: "usage acme --from yesterday",
      exit: "usage" as const,
      message: '--from must be a day such as 2026-11-21, not "yesterday"',
    },
    {
      line: "usage acme --to 2026-02-30",
      exit: "usage" as const,
      message: '--to must be a day such as 2026-11-21, not "2026-02-30"',
    },
    { line: "usage acme --from 2026-11-22", exit: "usage" as const, message: "--from must not be after 2026-11-21" },
    {
      line: "usage acme --from 2025-11-20",
      exit: "usage" as const,
      message: "--from must not be before 2025-11-21: at most 366 days are reported",
    },
  ])("$line is refused", async ({ line, exit, message }) => {
    const { run } = await used();
    expect(await run(line)).toEqual(refused(exit, message));
  });
});
