// The output of a connection. Everything that responses write within one turn is sent at once.
import type { Socket } from "node:net";

/** Bytes, or text in which each character is one byte. */
export type Part = string | Uint8Array;

/** How much unsent output the socket may hold before writers have to wait. */
const ROOM_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);
/** Parts up to this length are copied. */
const COPIED_BYTES_MAX = 16 * 1024;

export class H1Output {
  readonly #socket: Socket;
  // Over TLS, even a short write is sent a turn later.
  readonly #flushesLater: boolean;
  // The output to write next: the parts, and the text after them. Usually it is a single string.
  #parts: Part[] | undefined;
  #text = "";
  #callbacks: (() => void)[] | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#flushesLater = "encrypted" in socket;
  }

  get isEmpty(): boolean {
    return this.#text === "" && this.#parts === undefined && this.#callbacks === undefined;
  }

  /** Whether the peer is reading, so that more may be written. */
  get hasRoom(): boolean {
    return this.#socket.writableLength < ROOM_BYTES;
  }

  /** Adds to the output. `onSent` is called once the system has taken it, and never if the connection closes first. */
  add(part: Part, onSent?: () => void): void {
    if (typeof part === "string") {
      this.#text += part;
    } else {
      const parts = this.#takeParts();
      parts.push(part);
      this.#parts = parts;
    }
    if (onSent === undefined) {
      return;
    }
    if (this.#callbacks === undefined) {
      this.#callbacks = [onSent];
    } else {
      this.#callbacks.push(onSent);
    }
  }

  /** Writes everything that was added. */
  flush(): void {
    if (this.isEmpty) {
      return;
    }
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    const socket = this.#socket;
    if (!socket.writable) {
      this.#takeParts();
      return;
    }
    const whenFlushed = this.#flushesLater && callbacks !== undefined ? callWhenFlushed(callbacks) : undefined;
    if (this.#parts === undefined) {
      const text = this.#text;
      this.#text = "";
      socket.write(text, "latin1", whenFlushed);
    } else {
      writeParts(socket, this.#takeParts(), whenFlushed);
    }
    if (callbacks === undefined || whenFlushed !== undefined) {
      return;
    }
    if (socket.writableLength > 0) {
      // The callback of an empty write runs once everything before it has been sent.
      socket.write(NOTHING, callWhenFlushed(callbacks));
    } else {
      callAll(callbacks);
    }
  }

  #takeParts(): Part[] {
    const parts = this.#parts ?? [];
    if (this.#text !== "") {
      parts.push(this.#text);
    }
    this.#parts = undefined;
    this.#text = "";
    return parts;
  }
}

function callWhenFlushed(callbacks: readonly (() => void)[]): (error?: Error | null) => void {
  return (error) => {
    if (error == null) {
      callAll(callbacks);
    }
  };
}

function callAll(callbacks: readonly (() => void)[]): void {
  for (const callback of callbacks) {
    callback();
  }
}

// One write for all parts. Short ones are joined, because that costs less than to hand over each; long ones, such as a piece of a document,
// are not copied.
function writeParts(socket: Socket, parts: readonly Part[], whenFlushed: ((error?: Error | null) => void) | undefined): void {
  if (!parts.some((part) => part.length > COPIED_BYTES_MAX)) {
    socket.write(joined(parts), whenFlushed);
    return;
  }
  socket.cork();
  for (const [index, part] of parts.entries()) {
    const bytes = typeof part === "string" ? Buffer.from(part, "latin1") : part;
    socket.write(bytes, index === parts.length - 1 ? whenFlushed : undefined);
  }
  socket.uncork();
}

function joined(parts: readonly Part[]): Uint8Array {
  let bytes = 0;
  for (const part of parts) {
    bytes += part.length;
  }
  const all = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const part of parts) {
    if (typeof part === "string") {
      all.write(part, at, "latin1");
    } else {
      all.set(part, at);
    }
    at += part.length;
  }
  return all;
}
