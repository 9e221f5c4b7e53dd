// Which connection the running code is run for, through callbacks, timers and promises: what an error that nobody caught is charged to.
// The connection is cut, and everything else goes on, as net/http of Go does it.
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Socket } from "node:net";
import type { Log } from "../runtime/log.ts";

interface ConnectionScope {
  /** Undefined once it is closed: what was begun for it may live longer, and should not hold it. */
  socket: Socket | undefined;
}

const scopes = new AsyncLocalStorage<ConnectionScope | undefined>();

/** Runs code for a connection: what it does is charged to it. */
export type RunInScope = <Argument>(run: (argument: Argument) => void, argument: Argument) => void;

/**
 * Returns what runs the socket's callbacks in the scope of its connection, with the promises and timers that are begun in them. An error
 * leaves the scope in force, for whoever hears of it. The scope is entered by an AsyncResource, in 10 ns: `enterWith` makes a map each
 * time, which with its garbage took 260 to 410 ns of each call.
 */
export function connectionScope(socket: Socket): RunInScope {
  const scope: ConnectionScope = { socket };
  socket.on("close", () => {
    scope.socket = undefined;
  });
  const resource = scopes.run(scope, () => new AsyncResource("HTTP_CONNECTION"));
  return (run, argument) => {
    try {
      resource.runInAsyncScope(run, undefined, argument);
    } catch (error) {
      scopes.enterWith(scope);
      throw error;
    }
  };
}

// What becomes of a peer's going, or of its breaking the protocol: after it nothing of ours is half-done.
const PEER_FAILURE =
  /^(?:ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTCONN|ENETUNREACH|EHOSTUNREACH|ERR_STREAM_(?:PREMATURE_CLOSE|DESTROYED|WRITE_AFTER_END)|ERR_HTTP2_\w+|ERR_SSL_\w+|HPE_\w+)$/;

/**
 * Decides about an error that nobody caught. True where the process can go on: the error came up in the serving of a connection, which is
 * cut, or it is a socket's or a stream's own failure, which has closed it. False for a defect of which nobody can tell what it has
 * left half-done. Logs either. Call it from `uncaughtException` and nowhere else.
 */
export function containUncaught(error: unknown, log: Log): boolean {
  const scope = scopes.getStore();
  // Node leaves the scope of what threw in force, and whatever came up next without one would be charged to this connection.
  scopes.enterWith(undefined);
  if (scope !== undefined) {
    const peer = scope.socket?.remoteAddress;
    scope.socket?.destroy();
    log.error({ err: error, peer }, "nobody caught an error: the connection in whose serving it came up is cut");
    return true;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isContained = PEER_FAILURE.test(code);
  log.error(
    { err: error },
    isContained ? "nobody heard of a connection's failure" : "nobody caught an error, and it belongs to no connection",
  );
  return isContained;
}
