// The connections on which no request has come. They cost who opens them next to nothing, so they make way where a listener is full: the oldest
// first, which has had the most time to ask.
import type { Socket } from "node:net";
import { socketName } from "./socket-name.ts";

/** A connection that is served. */
interface Served {
  /** Whether a request has come on it. */
  readonly hasBeenAsked: boolean;
}

/** Those of one listener. */
export class UnaskedConnections {
  // The oldest first. Some have been asked meanwhile: that is seen when room is needed, and costs requests nothing.
  readonly #all = new Map<string, { readonly socket: Socket; served: Served | undefined }>();

  /** A connection has been accepted. */
  add(socket: Socket): void {
    const name = socketName(socket);
    this.#all.set(name, { socket, served: undefined });
    socket.once("close", () => {
      if (this.#all.get(name)?.socket === socket) {
        this.#all.delete(name);
      }
    });
  }

  /** The connection of this socket, or of the one above it that speaks TLS, is served. */
  serve(socket: Socket, served: Served): void {
    const known = this.#all.get(socketName(socket));
    if (known !== undefined) {
      known.served = served;
    }
  }

  /** Cuts the oldest, and gives its socket; undefined where there is none. Each connection is looked at once, however often this is called. */
  cutOldest(): Socket | undefined {
    for (const [name, { socket, served }] of this.#all) {
      this.#all.delete(name);
      if (!served?.hasBeenAsked) {
        socket.destroy();
        return socket;
      }
    }
    return undefined;
  }
}
