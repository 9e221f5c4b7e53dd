// A thread of newcomers: each opens a connection from a different address, sends one request, and leaves. Reports how long each took.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { port, forMs } = workerData as { readonly port: number; readonly forMs: number };
const LOCAL_ADDRESS = "127.0.0.2";
const PAUSE_MS = 10;

const took: number[] = [];
const endMs = performance.now() + forMs;
while (performance.now() < endMs) {
  const startedMs = performance.now();
  const socket = connect({ host: "127.0.0.1", port, localAddress: LOCAL_ADDRESS, noDelay: true });
  socket.write("GET /livez HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n");
  await once(socket, "data");
  took.push(performance.now() - startedMs);
  socket.destroy();
  await wait(PAUSE_MS);
}
parentPort?.postMessage(took);
