// A thread that sends one flood over many connections of one address, as fast as they accept it, and reconnects when they are cut.
import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { PREFACE } from "../h2/frames.ts";
import { settingsFrame } from "../h2/peer.ts";
import { FLOODS_OF_MANY } from "./floods-of-many.ts";

const { port, index, forMs } = workerData as { readonly port: number; readonly index: number; readonly forMs: number };
const CONNECTIONS = 32;
const PIECES_AT_ONCE = 20;
const endMs = Date.now() + forMs;
const piece = FLOODS_OF_MANY[index]?.piece ?? (() => Buffer.alloc(0));

async function flood(): Promise<void> {
  while (Date.now() < endMs) {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    socket.on("error", () => {});
    const closed = once(socket, "close").catch(() => {});
    socket.resume();
    socket.write(Buffer.concat([PREFACE, settingsFrame({})]));
    for (let number = 0; Date.now() < endMs && !socket.closed; number += PIECES_AT_ONCE) {
      if (!socket.write(Buffer.concat(Array.from({ length: PIECES_AT_ONCE }, (_, at) => piece(number + at))))) {
        await Promise.race([once(socket, "drain"), closed]).catch(() => {});
      }
      await nextTurn();
    }
    socket.destroy();
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, flood));
