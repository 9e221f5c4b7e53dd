// How often a command waits for a distant database: a round trip each time. No command that changes one thing may wait much more often
// than another.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startDelayingProxy } from "../fixtures/servers/delaying-proxy.ts";
import { type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { createCommandLine, nthId } from "./command-line.ts";

// In the order in which they run. The first that needs plans offers the built-in ones. Three round trips of each are for the connection, its settings and the schema, and one closes it.
const COMMANDS: readonly (readonly [line: string, roundTrips: number])[] = [
  ["account create acme --email ops@acme.example", 14],
  ["account show acme", 7],
  ["account list", 5],
  ["key create acme", 13],
  ["key list acme", 8],
  [`key show ${nthId(2)}`, 8],
  [`key disable ${nthId(2)}`, 12],
  [`key enable ${nthId(2)}`, 12],
  [`key rotate ${nthId(2)}`, 17],
  [`key revoke ${nthId(2)}`, 12],
  ["plans", 19],
  ["subscription create acme radio", 20],
  ["subscription request acme radio --plan pro", 20],
  ["subscription decline acme radio", 16],
  ["subscription activate acme radio --plan pro", 23],
  ["subscription cancel acme radio", 16],
  ["account suspend acme", 12],
  ["account resume acme", 12],
  ["account operator acme", 18],
  ["account two-factor acme", 7],
  ["account members acme", 7],
];

describeWith(postgres, "On PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("each command takes a fixed number of round trips", async () => {
    const url = new URL(await server.createDatabase());
    const proxy = await startDelayingProxy(Number(url.port));
    onTestFinished(() => proxy.close());
    url.port = String(proxy.port);
    const variables = { QUINTET_DATABASE_URL: url.href };
    const { run } = createCommandLine();
    expect((await run("migrate", variables)).code).toBe(0);
    const taken: (readonly [string, number])[] = [];
    for (const [line] of COMMANDS) {
      const before = proxy.roundTrips;
      expect(await run(line, variables)).toMatchObject({ code: 0, err: "" });
      taken.push([line, proxy.roundTrips - before]);
    }
    expect(taken).toEqual(COMMANDS);
  });
});
