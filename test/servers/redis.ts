// A Redis or Valkey server for tests, of Debian's packages, that keeps nothing on disk.
import { existsSync } from "node:fs";
import { type Found, freePort, lend, removeDirectory, type ServerProcess, serverDirectory, startServer } from "./server-process.ts";

const PATHS = ["/usr/bin/redis-server", "/usr/bin/valkey-server"];

/** Whichever of the two is installed. */
export const redis: Found = findRedis();

function findRedis(): Found {
  const path = PATHS.find((one) => existsSync(one));
  return path === undefined ? { missing: `Neither Redis nor Valkey is installed (${PATHS.join(", ")})` } : { path };
}

/** A running server. */
export interface RedisServer {
  readonly url: string;
  pause(): void;
  resume(): void;
  /** Ends it as a crash would. */
  stop(): Promise<void>;
  /** Starts it again, empty, at the same port. */
  start(): Promise<void>;
  /** Ends it for good. */
  close(): Promise<void>;
}

/** Starts a server. With `tls` it takes connections over TLS alone, with the certificate and key of these files. */
export async function startRedis(tls?: { readonly cert: string; readonly key: string }): Promise<RedisServer> {
  if ("missing" in redis) {
    throw new Error(redis.missing);
  }
  const { path } = redis;
  const directory = serverDirectory();
  const port = await freePort();
  const args = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", directory];
  if (tls === undefined) {
    args.push("--port", String(port));
  } else {
    const cert = lend(tls.cert, directory);
    args.push("--port", "0", "--tls-port", String(port), "--tls-auth-clients", "no");
    args.push("--tls-cert-file", cert, "--tls-key-file", lend(tls.key, directory), "--tls-ca-cert-file", cert);
  }
  const start = (): Promise<ServerProcess> => startServer([path, ...args], { cwd: directory, port, crash: "SIGKILL" });
  let server = await start();
  return {
    url: `${tls === undefined ? "redis" : "rediss"}://127.0.0.1:${port}`,
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
