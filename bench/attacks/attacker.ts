// A thread that attacks for some time, and reconnects when a connection is cut. Reports how many bytes it sent, and how often it was cut.
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { ATTACKS } from "./attacks.ts";

/** Its input. The first key is the victim's. */
export interface Orders {
  readonly port: number;
  readonly keys: readonly string[];
  readonly attack: number;
  readonly forMs: number;
}

const { port, keys, attack, forMs } = workerData as Orders;
const chosen = ATTACKS[attack];
if (chosen === undefined) {
  throw new Error(`there is no attack ${attack}`);
}
const { connections, perSecond, opening, piece, isOneCustomer } = chosen;
const endMs = performance.now() + forMs;
let sentBytes = 0;
let cuts = 0;

async function send(number: number): Promise<void> {
  const attackers = keys.slice(1);
  const key = attackers[isOneCustomer ? 0 : number % attackers.length] ?? "";
  let total = number;
  while (performance.now() < endMs) {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    let isCut = false;
    socket.on("error", () => {});
    socket.once("close", () => {
      isCut = true;
    });
    socket.resume();
    if (opening !== undefined) {
      socket.write(opening);
    }
    for (let index = 0; performance.now() < endMs && !isCut; index += 1) {
      // Connections of one attack do not repeat each other's requests, unless its streams must be in order.
      const bytes = piece(opening === undefined ? total : index, key);
      total += connections;
      sentBytes += bytes.length;
      socket.write(bytes);
      await wait(1000 / perSecond);
    }
    cuts += isCut ? 1 : 0;
    socket.destroy();
  }
}

await Promise.all(Array.from({ length: connections }, (_, number) => send(number)));
parentPort?.postMessage({ sentBytes, cuts });
