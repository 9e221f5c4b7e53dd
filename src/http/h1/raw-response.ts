// An answer written straight to a socket: for what Node's HTTP/1.1 parser refuses, where there is no request and no response object.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { LINGER_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { bodyLength } from "../node-exchange.ts";
import type { TransportFault } from "../transport-fault.ts";

/** Answers with the fault and closes the connection; what still arrives is discarded for a short while, so that the answer can be read. */
export function answerRaw(listenerContext: ListenerContext, socket: Socket, fault: TransportFault): void {
  const requestId = listenerContext.randomness.uuid();
  const { status, headers, body } = listenerContext.transportAnswer(fault, requestId);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`];
  const all = {
    ...headers,
    "content-length": bodyLength(body),
    "x-request-id": requestId,
    date: new Date(listenerContext.clock.nowMs()).toUTCString(),
    connection: "close",
  };
  for (const [name, value] of Object.entries(all)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) {
        lines.push(`${name}: ${each}`);
      }
    }
  }
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.end(body);
  const cancelTimer = listenerContext.clock.after(LINGER_MS, () => socket.destroy());
  socket.once("close", cancelTimer);
}
