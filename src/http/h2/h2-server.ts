// HTTP/2: makes a connection that serves the requests of a socket.
import type { Socket } from "node:net";
import type { Peer } from "../client/peer.ts";
import { connectionScope } from "../connection-scope.ts";
import type { ListenerContext } from "../listener-context.ts";
import { H2Connection } from "./h2-connection.ts";

/** Serves a socket that speaks HTTP/2. `seen` is what has been read of it already. */
export function serveHttp2(socket: Socket, peer: Peer, listenerContext: ListenerContext, seen?: Buffer): H2Connection {
  const enterScope = connectionScope(socket);
  const connection = new H2Connection(socket, peer, listenerContext);
  // Nothing of HTTP/2 works on half a connection.
  socket.allowHalfOpen = false;
  socket.on("data", (chunk: Buffer) => {
    enterScope();
    connection.receive(chunk);
  });
  socket.on("drain", () => {
    enterScope();
    connection.drained();
  });
  socket.on("close", () => connection.ended());
  if (seen !== undefined) {
    enterScope();
    connection.receive(seen);
  }
  return connection;
}
