// HTTP/2: makes a connection that serves the requests of a socket.
import type { Socket } from "node:net";
import type { Peer } from "../client/peer.ts";
import type { ConnectionPlace } from "../connection-places.ts";
import { connectionScope } from "../connection-scope.ts";
import type { ListenerContext } from "../listener-context.ts";
import { takeBytes } from "../socket-bytes.ts";
import { H2Connection } from "./h2-connection.ts";

/** Serves a socket that speaks HTTP/2. `seen` is what has been read of it already. */
export function serveHttp2(
  socket: Socket,
  place: ConnectionPlace,
  peer: Peer,
  listenerContext: ListenerContext,
  seen?: Buffer,
): H2Connection {
  const runInScope = connectionScope(socket);
  const connection = new H2Connection(socket, runInScope, place, peer, listenerContext);
  // Nothing of HTTP/2 works on half a connection.
  socket.allowHalfOpen = false;
  const receive = (bytes: Buffer): void => connection.receive(bytes);
  const drained = (): void => connection.drained();
  takeBytes(socket, (bytes) => runInScope(receive, bytes));
  socket.on("drain", () => runInScope(drained, undefined));
  socket.on("close", () => connection.ended());
  if (seen !== undefined) {
    runInScope(receive, seen);
  }
  return connection;
}
