// PostgreSQL over TLS: the connection string says what is checked, with the same parameters as in PostgreSQL's own programs.
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openStore, type StoreOptions } from "../../../src/store/open.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";

const certificate = (name: string): string => join(import.meta.dirname, "../../../packages/http/test/certificates", name);
const empty = "The database is empty. Run `quintet migrate` once, then start again.";

describeWith(postgres, "PostgreSQL over TLS", () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres({ cert: certificate("server.pem"), key: certificate("server.key") });
    url = await server.createDatabase();
  });
  afterAll(() => server.close());

  async function messageOf(parameters: string): Promise<string> {
    const clock = createManualClock({ nowMs: 0 });
    const options: StoreOptions = {
      dataDir: "",
      database: { url: url + parameters, connectionsMax: 1, staleAfterMs: 10_000 },
      clock,
      role: "command",
    };
    const opened = openStore(options);
    onTestFinished(async () => opened.then((store) => store.close()).catch(() => {}));
    return opened.then(
      () => "opened",
      (error: Error) => error.message,
    );
  }

  // The message for an empty database shows that it was reached.
  test.each([
    { case: "no TLS", parameters: "", message: empty },
    { case: "TLS with any server", parameters: "?sslmode=require", message: empty },
    {
      case: "TLS with a server certified by a known authority",
      parameters: "?sslmode=verify-full",
      message: "cannot be used: unable to verify the first certificate",
    },
    {
      case: "TLS with a server certified by this authority",
      parameters: `?sslmode=verify-full&sslrootcert=${certificate("authority.pem")}`,
      message: empty,
    },
    {
      case: "TLS with an authority whose file does not exist",
      parameters: "?sslmode=verify-full&sslrootcert=/nonexistent.pem",
      message: "cannot be used: ENOENT: no such file or directory, open '/nonexistent.pem'. Check",
    },
  ])("$case", async ({ parameters, message }) => {
    expect(await messageOf(parameters)).toContain(message);
  });
});
