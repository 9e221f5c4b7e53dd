// What a command prints if a server has not confirmed its change: one line on standard error. The change was made anyway.
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { PROTOCOL } from "../../src/store/repositories/change-log.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { type CommandLine, createCommandLine, nthId, printed } from "./command-line.ts";

const KEY_ID = nthId(2);
const revoked = printed(`Key default is revoked: its calls are refused permanently.\n`);
const unconfirmed = (servers: string, later: string): string =>
  `The change was made, but not every server confirmed it within 2 seconds (${servers}). ${later}\n`;

async function generateKey({ run }: CommandLine, variables: Readonly<Record<string, string>> = {}): Promise<void> {
  await run("account create acme", variables);
  expect(JSON.parse((await run("key create acme --json", variables)).out)).toMatchObject({ id: KEY_ID });
}

test("a server that shares the data directory and does not respond is reported", async () => {
  const commandLine = createCommandLine();
  await generateKey(commandLine);
  const mute = createServer((socket) => socket.once("data", () => socket.destroy()));
  mute.listen(join(commandLine.dataDir, "control.sock"));
  onTestFinished(() => void mute.close());
  await once(mute, "listening");
  const err = unconfirmed("the server of this data directory", "The server also checks for changes every 250 milliseconds.");
  expect(await commandLine.run(`key revoke ${KEY_ID}`)).toEqual({ ...revoked, err });
});

test("nothing is reported if no server runs", async () => {
  const commandLine = createCommandLine();
  await generateKey(commandLine);
  expect(await commandLine.run(`key revoke ${KEY_ID}`)).toEqual(revoked);
});

describeWith(postgres, "On PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("servers that may be serving are named, but not others, or servers that only read", async () => {
    const commandLine = createCommandLine();
    const { run, clock } = commandLine;
    const url = await server.createDatabase();
    const variables = { QUINTET_DATABASE_URL: url };
    await run("migrate", variables);
    await generateKey(commandLine, variables);
    await inDatabase(url, (client) =>
      client.query(
        `INSERT INTO nodes VALUES ('lost', 0, extract(epoch from now()) * 1000 + 60000, ${PROTOCOL}), ('gone', 0, 0, ${PROTOCOL})`,
      ),
    );
    expect((await run(`key show ${KEY_ID}`, variables)).err).toBe("");
    // The command waits for the server by the test's clock.
    const passing = setInterval(() => clock.advance(10), 10);
    onTestFinished(() => clearInterval(passing));
    const ran = await run(`key revoke ${KEY_ID}`, variables);
    const later = "A server that cannot reach the database refuses calls after 10 seconds.";
    expect(ran).toEqual({ ...revoked, err: unconfirmed("lost", later) });
  });
});
