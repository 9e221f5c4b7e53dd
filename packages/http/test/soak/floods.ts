// `node packages/http/test/soak/floods.ts`: the cost of each flood to a listener in its own process, and its effect on a well-behaved caller. Prints
// a table: frames sent, memory, CPU time, and the caller's p99 before and during. `--seconds N` for each flood, 3 by default.
import { once } from "node:events";
import { connect } from "node:net";
import { parseArgs } from "node:util";
import { type Attack, FLOODS } from "../h2/attacks.ts";
import { PREFACE } from "../h2/frames.ts";
import { settingsFrame } from "../h2/peer.ts";
import { callWell } from "./call-well.ts";
import { startServer } from "./server-process.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "3" } } });
const durationMs = Number(values.seconds) * 1000;
const ATTACKERS = 4;
const PIECES_AT_ONCE = 50;

/** Sends one flood until the listener closes the connection, repeatedly; returns the number of pieces. */
async function flood(port: number, { opening, piece }: Attack, endMs: number): Promise<number> {
  let sent = 0;
  while (Date.now() < endMs) {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    socket.on("error", () => {});
    const closed = once(socket, "close").catch(() => {});
    socket.resume();
    socket.write(Buffer.concat([PREFACE, settingsFrame({}), opening ?? Buffer.alloc(0)]));
    for (let number = 0; Date.now() < endMs && !socket.closed; number += PIECES_AT_ONCE) {
      const pieces = Array.from({ length: PIECES_AT_ONCE }, (_, index) => piece(number + index));
      sent += PIECES_AT_ONCE;
      if (!socket.write(Buffer.concat(pieces))) {
        await Promise.race([once(socket, "drain"), closed]).catch(() => {});
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.destroy();
  }
  return sent;
}

process.stdout.write(
  "| flood | pieces sent | MiB before and during | CPU of one core | p99 before, ms | during |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
);
for (const attack of FLOODS) {
  const server = await startServer();
  await callWell(server.port, 1000);
  const before = await callWell(server.port, durationMs);
  const [mibBefore, cpuBefore] = [server.residentMib(), server.cpuSeconds()];
  let mibMax = mibBefore;
  const watch = setInterval(() => {
    mibMax = Math.max(mibMax, server.residentMib());
  }, 100);
  const endMs = Date.now() + durationMs;
  const attackers = Array.from({ length: ATTACKERS }, () => flood(server.port, attack, endMs));
  const during = await callWell(server.port, durationMs);
  const sent = (await Promise.all(attackers)).reduce((sum, count) => sum + count, 0);
  clearInterval(watch);
  const cpu = (server.cpuSeconds() - cpuBefore) / (durationMs / 1000);
  const row = [
    attack.name,
    sent.toLocaleString("en"),
    `${mibBefore.toFixed(0)} → ${mibMax.toFixed(0)}`,
    `${(cpu * 100).toFixed(0)} %`,
    before.toFixed(2),
    during.toFixed(2),
  ];
  process.stdout.write(`| ${row.join(" | ")} |\n`);
  server.stop();
}
