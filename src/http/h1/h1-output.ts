// What goes out on a connection. What answers give within one turn is put together and written at once.
import type { Socket } from "node:net";

/** Text, of which each letter is a byte, or bytes. */
export type Part = string | Uint8Array;

/** What the socket may hold unsent before who writes has to wait. */
const ROOM_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** The sending side of one connection. */
export class H1Output {
  readonly #socket: Socket;
  // Over TLS what is written leaves a turn later, however little it is.
  readonly #leavesLater: boolean;
  // What is written next: the parts, and the text behind them. Most often it is one text.
  #parts: Part[] | undefined;
  #text = "";
  #callbacks: (() => void)[] | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#leavesLater = "encrypted" in socket;
  }

  /** Whether there is something to flush. */
  get isEmpty(): boolean {
    return this.#text === "" && this.#parts === undefined && this.#callbacks === undefined;
  }

  /** Whether the peer reads what it is sent, so that more may be written. */
  get hasRoom(): boolean {
    return this.#socket.writableLength < ROOM_BYTES;
  }

  /** Adds to what is written next. `onSent` is called once the system has taken it, and not at all where the connection closes before. */
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

  /** Writes all that was added. */
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
    const whenLeft = this.#leavesLater && callbacks !== undefined ? callWhenLeft(callbacks) : undefined;
    if (this.#parts === undefined) {
      const text = this.#text;
      this.#text = "";
      socket.write(text, "latin1", whenLeft);
    } else {
      socket.write(joined(this.#takeParts()), whenLeft);
    }
    if (callbacks === undefined || whenLeft !== undefined) {
      return;
    }
    if (socket.writableLength > 0) {
      // It is called when all before it has left.
      socket.write(NOTHING, callWhenLeft(callbacks));
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

function callWhenLeft(callbacks: readonly (() => void)[]): (error?: Error | null) => void {
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
