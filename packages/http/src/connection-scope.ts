// Tracks which connection the running code serves, through callbacks, timers and promises. An uncaught error then closes that
// connection and nothing else, as in Go's net/http.
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Socket } from "node:net";
import type { Log } from "./log.ts";

interface ConnectionScope {
  /** Undefined once closed, so that work that outlives the connection does not keep it in memory. */
  socket: Socket | undefined;
}

const scopes = new AsyncLocalStorage<ConnectionScope | undefined>();

/** Runs a callback in the scope of a connection. */
export type RunInScope = <Argument>(run: (argument: Argument) => void, argument: Argument) => void;

/**
 * Returns a function that runs the socket's callbacks in the scope of its connection, along with the promises and timers that they start.
 * When a callback throws, the scope stays in place for the code that handles the error. It uses an AsyncResource because `enterWith` makes
 * a new map each time, which costs far more.
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

// Errors after which none of our work is half done: the peer disconnected or broke the protocol.
const PEER_FAILURE =
  /^(?:ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTCONN|ENETUNREACH|EHOSTUNREACH|ERR_STREAM_(?:PREMATURE_CLOSE|DESTROYED|WRITE_AFTER_END)|ERR_SSL_\w+|HPE_\w+)$/;

/**
 * Decides whether the process survives an uncaught error, and logs the error. True if it occurred while serving a connection, which is then
 * cut, or if it is the failure of a socket or stream, which has closed by then. False for any other error, because it may have left work
 * half done. Call it only from `uncaughtException`.
 */
export function containUncaught(error: unknown, log: Log): boolean {
  const scope = scopes.getStore();
  // Node leaves the scope of the failed callback in place. Without this, the next error outside any scope would be blamed on this
  // connection.
  scopes.enterWith(undefined);
  if (scope !== undefined) {
    const peer = scope.socket?.remoteAddress;
    scope.socket?.destroy();
    log.error({ err: error, peer }, "uncaught error while serving a connection; the connection is cut");
    return true;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isContained = PEER_FAILURE.test(code);
  log.error({ err: error }, isContained ? "unhandled failure of a connection" : "uncaught error outside any connection");
  return isContained;
}
