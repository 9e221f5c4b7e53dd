// `node packages/http/test/soak/drips.ts`: the cost of a thousand connections that send byte by byte, and its effect on a well-behaved caller.
// Prints a table: memory per connection, CPU time, when the last of them is ended, and the caller's p99 before and during.
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { DRIPS, type Drip } from "../drips.ts";
import { callWell } from "./call-well.ts";
import { startServer } from "./server-process.ts";

const CONNECTIONS = 1000;
const BYTE_INTERVAL_MS = 1000;
const CALLS_MS = 3000;

/** One connection that sends until the server ends it. */
function open(port: number, { opening, rest }: Drip): { readonly socket: Socket; readonly ended: Promise<unknown> } {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(rest.subarray(sent, sent + 1));
    sent = Math.min(sent + 1, rest.length - 1);
  }, BYTE_INTERVAL_MS);
  socket.write(opening);
  const ended = new Promise((resolve) => {
    // A status, a GOAWAY's text, the body of a response, or the end alone.
    socket.on("data", (bytes: Buffer) => /HTTP\/1\.1 4|in time|no body/.test(bytes.toString("latin1")) && resolve(undefined));
    socket.once("close", resolve);
  });
  socket.on("error", () => {});
  void ended.then(() => clearInterval(timer));
  return { socket, ended };
}

process.stdout.write(
  "| sent byte by byte | KiB a connection | CPU of one core | ended after, s | p99 before, ms | during |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
);
for (const drip of DRIPS) {
  const server = await startServer();
  await callWell(server.port, 1000);
  const before = await callWell(server.port, CALLS_MS);
  const [mibBefore, cpuBefore, startedMs] = [server.residentMib(), server.cpuSeconds(), performance.now()];
  const connections = Array.from({ length: CONNECTIONS }, () => open(server.port, drip));
  const allEnded = Promise.all(connections.map(({ ended }) => ended));
  await wait(2 * BYTE_INTERVAL_MS);
  const kib = ((server.residentMib() - mibBefore) * 1024) / CONNECTIONS;
  const during = await callWell(server.port, CALLS_MS);
  await Promise.race([allEnded, wait(drip.timeoutMs + 10_000, undefined, { ref: false })]);
  const seconds = (performance.now() - startedMs) / 1000;
  const cpu = (server.cpuSeconds() - cpuBefore) / seconds;
  const row = [drip.what, kib.toFixed(1), `${(cpu * 100).toFixed(0)} %`, seconds.toFixed(1), before.toFixed(2), during.toFixed(2)];
  process.stdout.write(`| ${row.join(" | ")} |\n`);
  for (const { socket } of connections) {
    socket.destroy();
  }
  server.stop();
}
