// `node packages/http/bench/compare.ts`: the CPU time that a small request costs this server, node:http and node:http2. Each is a process of
// its own; rounds alternate between them, and figures are medians. Prints the table of README.md.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttp1Server } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { createServer } from "../src/index.ts";

const ROUNDS = 7;
const CONNECTIONS = 8;
const AT_ONCE = 16;
const REQUESTS = 60_000;
const TEXT = "Hello.\n";
const HEADERS = { "content-type": "text/plain", "content-length": TEXT.length };

const SERVERS: Readonly<Record<string, () => Promise<number>>> = {
  "this server": async () =>
    (
      await createServer({ handle: (exchange) => exchange.respond(200, { "content-type": "text/plain" }, TEXT) }).listen(
        "127.0.0.1",
        0,
      )
    ).port,
  "node:http": () => listening(createHttp1Server((_, response) => response.writeHead(200, HEADERS).end(TEXT))),
  "node:http2": () =>
    listening(
      createHttp2Server((_, response) => {
        response.writeHead(200, HEADERS);
        response.end(TEXT);
      }),
    ),
};

async function listening(server: { listen(port: number, host: string): unknown; address(): unknown }): Promise<number> {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => setImmediate(resolve));
  return (server.address() as AddressInfo).port;
}

const REQUEST = `GET /hello HTTP/1.1\r\nhost: localhost\r\nuser-agent: compare\r\naccept: */*\r\n\r\n`;

/** Sends pipelined requests over HTTP/1.1, and resolves when all have their response. */
async function loadHttp1(port: number): Promise<void> {
  const perConnection = REQUESTS / CONNECTIONS;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, "127.0.0.1").setEncoding("latin1").setNoDelay(true);
      let sent = AT_ONCE;
      let received = 0;
      socket.write(REQUEST.repeat(AT_ONCE));
      socket.on("data", (text: string) => {
        const count = text.split("Hello.").length - 1;
        received += count;
        const more = Math.min(count, perConnection - sent);
        sent += more;
        if (more > 0) {
          socket.write(REQUEST.repeat(more));
        }
        if (received >= perConnection) {
          socket.destroy();
        }
      });
      await once(socket, "close");
    }),
  );
}

async function loadHttp2(port: number): Promise<void> {
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const session = connectHttp2(`http://127.0.0.1:${port}`);
      let left = REQUESTS / CONNECTIONS;
      const requestAll = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const stream = session.request({ ":path": "/hello", "user-agent": "compare", accept: "*/*" });
          stream.resume();
          await once(stream, "close");
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, requestAll));
      session.close();
    }),
  );
}

const [, , served] = process.argv;
if (served !== undefined) {
  process.send?.(await SERVERS[served]?.());
} else {
  const start = async (name: string) => {
    const child = fork(import.meta.filename, [name]);
    const [port] = (await once(child, "message")) as [number];
    const cpuMs = (): number => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) * 10;
    };
    return { name, port, cpuMs, child };
  };
  for (const [protocol, load, peer] of [
    ["HTTP/1.1", loadHttp1, "node:http"],
    ["HTTP/2", loadHttp2, "node:http2"],
  ] as const) {
    const servers = await Promise.all(["this server", peer].map(start));
    const costs = new Map<string, number[]>(servers.map(({ name }) => [name, []]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const { name, port, cpuMs } of servers) {
        const before = cpuMs();
        await load(port);
        // The first round warms up.
        if (round > 0) {
          costs.get(name)?.push(((cpuMs() - before) * 1000) / REQUESTS);
        }
      }
    }
    for (const { name, child } of servers) {
      const sorted = (costs.get(name) ?? []).toSorted((a, b) => a - b);
      process.stdout.write(`| ${protocol} | ${name} | ${sorted[(ROUNDS - 1) / 2]?.toFixed(1)} |\n`);
      child.kill();
    }
  }
}
