// HTTP/1.1: makes a connection that serves requests of a socket.
import type { Socket } from "node:net";
import type { Peer } from "../client/peer.ts";
import type { ConnectionPlace } from "../connection-places.ts";
import { connectionScope } from "../connection-scope.ts";
import type { ListenerContext } from "../listener-context.ts";
import { takeBytes } from "../socket-bytes.ts";
import { H1Connection, type H1Shared } from "./h1-connection.ts";
import { HeaderBlocks } from "./header-blocks.ts";
import { ResponseHeads } from "./response-head.ts";

/** Serves a socket that speaks HTTP/1.1. `seen` is what has been read of it already. */
export type ServeHttp1 = (socket: Socket, place: ConnectionPlace, peer: Peer, seen?: Buffer) => H1Connection;

/** Makes what serves the sockets of one listener. */
export function createHttp1Server(listenerContext: ListenerContext): ServeHttp1 {
  const { limits } = listenerContext;
  const shared: H1Shared = {
    listenerContext,
    blocks: new HeaderBlocks(limits),
    heads: new ResponseHeads(listenerContext.date),
    keepAliveLines: `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(limits.idleTimeoutMs / 1000)}\r\n`,
  };
  return (socket, place, peer, seen) => {
    const runInScope = connectionScope(socket);
    const connection = new H1Connection(socket, runInScope, place, peer, shared);
    const receive = (bytes: Buffer): void => connection.receive(bytes);
    const receiveEnd = (): void => connection.receiveEnd();
    takeBytes(socket, (bytes) => runInScope(receive, bytes));
    socket.on("end", () => runInScope(receiveEnd, undefined));
    socket.on("close", () => connection.closed());
    if (seen !== undefined) {
      runInScope(receive, seen);
    }
    return connection;
  };
}
