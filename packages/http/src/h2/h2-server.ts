// HTTP/2: turns a socket into a connection that serves requests.
import type { Socket } from "node:net";
import type { Peer } from "../client/peer.ts";
import { connectionScope } from "../connection-scope.ts";
import type { ConnectionSlot } from "../connection-slots.ts";
import type { ListenerContext } from "../listener-context.ts";
import { takeBytes } from "../paced-input.ts";
import { H2Connection } from "./h2-connection.ts";

/** Serves an HTTP/2 socket. `seen` holds the bytes already read from it. */
export function serveHttp2(
  socket: Socket,
  slot: ConnectionSlot,
  peer: Peer,
  listenerContext: ListenerContext,
  seen?: Buffer,
): H2Connection {
  const runInScope = connectionScope(socket);
  const connection = new H2Connection(socket, runInScope, slot, peer, listenerContext);
  // HTTP/2 needs both directions of a connection.
  socket.allowHalfOpen = false;
  const { socketInput: input } = connection;
  const drained = (): void => connection.drained();
  takeBytes(socket, (bytes) => input.receive(bytes));
  socket.on("drain", () => runInScope(drained, undefined));
  socket.on("close", () => connection.ended());
  if (seen !== undefined) {
    input.receive(seen);
  }
  return connection;
}
