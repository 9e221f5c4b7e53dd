// A PostgreSQL server for tests, of Debian's packages: a cluster of its own in a temporary directory, that forgets all when it is closed.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import {
  type Found,
  freePort,
  lend,
  removeDirectory,
  runOnce,
  type ServerProcess,
  serverDirectory,
  startServer,
} from "./server-process.ts";

const PACKAGES = "/usr/lib/postgresql";

/** The newest version's directory of programs. */
export const postgres: Found = findPostgres();

function findPostgres(): Found {
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES).toSorted((a, b) => Number(b) - Number(a)) : [];
  const path = versions.map((version) => join(PACKAGES, version, "bin")).find((bin) => existsSync(join(bin, "postgres")));
  return path === undefined ? { missing: `PostgreSQL is not installed (${PACKAGES}/*/bin/postgres)` } : { path };
}

/** A running PostgreSQL. */
export interface PostgresServer {
  /** Makes a database, empty or a copy of another, and answers its connection string. */
  createDatabase(template?: string): Promise<string>;
  /** The name in a connection string. */
  nameOf(url: string): string;
  pause(): void;
  resume(): void;
  /** Ends it as a crash would. */
  stop(): Promise<void>;
  /** Starts it again, with its data, at the same port. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // Nothing here must outlive the machine.
  fsync: "off",
  full_page_writes: "off",
  max_connections: "200",
  shared_buffers: "16MB",
  log_min_messages: "fatal",
};

/** Makes a cluster and starts it. With `tls` it takes connections over TLS too, with the certificate and key of these files. */
export async function startPostgres(tls?: { readonly cert: string; readonly key: string }): Promise<PostgresServer> {
  if ("missing" in postgres) {
    throw new Error(postgres.missing);
  }
  const bin = postgres.path;
  const directory = serverDirectory();
  const data = join(directory, "data");
  runOnce(join(bin, "initdb"), ["-D", data, "-U", "quintet", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"], directory);
  const port = await freePort();
  const files =
    tls === undefined ? {} : { ssl: "on", ssl_cert_file: lend(tls.cert, directory), ssl_key_file: lend(tls.key, directory) };
  const settings = Object.entries({ ...SETTINGS, ...files, port }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const urlOf = (name: string): string => `postgres://quintet@127.0.0.1:${port}/${name}`;
  const start = async (): Promise<ServerProcess> => {
    const started = await startServer([join(bin, "postgres"), "-D", data, ...settings], { cwd: directory, port, crash: "SIGQUIT" });
    await answering(urlOf("postgres"));
    return started;
  };
  let server = await start();
  let databases = 0;
  return {
    async createDatabase(template) {
      const name = `test_${databases++}`;
      await inDatabase(urlOf("postgres"), (client) =>
        client.query(`CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`),
      );
      return urlOf(name);
    },
    nameOf: (url) => new URL(url).pathname.slice(1),
    pause: () => server.pause(),
    resume: () => server.resume(),
    stop: () => server.kill(),
    async start() {
      server = await start();
    },
    async close() {
      await server.kill();
      removeDirectory(directory);
    },
  };
}

/** Works on a connection of its own. */
export async function inDatabase<Answer>(url: string, work: (client: pg.Client) => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

// It accepts connections while it still starts up, and refuses them then.
async function answering(url: string): Promise<void> {
  for (;;) {
    try {
      return await inDatabase(url, async () => {});
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
