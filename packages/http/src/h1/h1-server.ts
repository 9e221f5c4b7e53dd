// HTTP/1.1: turns a socket into a connection that serves requests.
import type { Socket } from "node:net";
import type { Peer } from "../client/peer.ts";
import { connectionScope } from "../connection-scope.ts";
import type { ConnectionSlot } from "../connection-slots.ts";
import type { ListenerContext } from "../listener-context.ts";
import { takeBytes } from "../paced-input.ts";
import { H1Connection, type H1Shared } from "./h1-connection.ts";
import { ResponseHeads } from "./response-head.ts";

/** Serves an HTTP/1.1 socket. `seen` holds the bytes already read from it. */
export type ServeHttp1 = (socket: Socket, slot: ConnectionSlot, peer: Peer, seen?: Buffer) => H1Connection;

export function createHttp1Server(listenerContext: ListenerContext): ServeHttp1 {
  const { limits } = listenerContext;
  const shared: H1Shared = {
    listenerContext,
    heads: new ResponseHeads(listenerContext.date),
    keepAliveLines: `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(limits.idleTimeoutMs / 1000)}\r\n`,
  };
  return (socket, slot, peer, seen) => {
    const runInScope = connectionScope(socket);
    const connection = new H1Connection(socket, runInScope, slot, peer, shared);
    const { socketInput: input } = connection;
    takeBytes(socket, (bytes) => input.receive(bytes));
    socket.on("end", () => input.receiveEnd());
    socket.on("close", () => connection.closed());
    if (seen !== undefined) {
      input.receive(seen);
    }
    return connection;
  };
}
