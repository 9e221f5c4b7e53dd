// A peer that speaks HTTP/2 frame by frame, and records what it receives.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { HpackDecoder } from "../../src/hpack/decoder.ts";
import { fieldBytesMax, writeField } from "../../src/hpack/literals.ts";
import { until } from "../listening.ts";
import { FLAG, FRAME, type Frame, FrameReader, frame, PREFACE } from "./frames.ts";

/** How a connection ended. */
export interface Goaway {
  readonly lastStream: number;
  readonly code: number;
}

/** Names and values. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** A peer at the other end of one connection. */
export class H2Peer {
  readonly socket: Socket;
  /** Everything received, in order. */
  readonly frames: Frame[] = [];
  isClosed = false;
  readonly #reader = new FrameReader();
  readonly #decoder = new HpackDecoder({ listBytesMax: 1_000_000, fieldsMax: 1000 });
  readonly #heads = new Map<number, string[][]>();
  #block: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (bytes) => this.#take(bytes as Buffer));
    // A server that cuts a connection may reset it.
    socket.on("error", () => {});
    socket.once("close", () => {
      this.isClosed = true;
    });
  }

  /** Sends bytes; false if the connection accepts no more at the moment. */
  send(...bytes: readonly Uint8Array[]): boolean {
    return this.socket.write(Buffer.concat(bytes));
  }

  /** The header lists received on a stream, each header as `name: value`: the head of its response, and its trailers. */
  headsOf(stream: number): readonly (readonly string[])[] {
    return this.#heads.get(stream) ?? [];
  }

  /** The body received on a stream so far. */
  bodyOf(stream: number): Buffer {
    return Buffer.concat(this.framesOf(stream, FRAME.DATA).map(({ payload }) => payload));
  }

  framesOf(stream: number, type: number): readonly Frame[] {
    return this.frames.filter((each) => each.stream === stream && each.type === type);
  }

  /** The code of a stream's reset. */
  resetOf(stream: number): number | undefined {
    return this.framesOf(stream, FRAME.RST_STREAM)[0]?.payload.readUInt32BE(0);
  }

  /** The last GOAWAY. */
  get goaway(): Goaway | undefined {
    const payload = this.framesOf(0, FRAME.GOAWAY).at(-1)?.payload;
    return payload && { lastStream: payload.readUInt32BE(0), code: payload.readUInt32BE(4) };
  }

  /** Waits until the stream's response is complete, or the stream is reset, or the connection is closed. */
  async ended(stream: number): Promise<void> {
    await until(() => this.isClosed || this.resetOf(stream) !== undefined || this.hasEnded(stream));
  }

  /** Whether the response on a stream is complete. */
  hasEnded(stream: number): boolean {
    return this.frames.some(
      ({ type, flags, stream: id }) => id === stream && type <= FRAME.HEADERS && (flags & FLAG.END_STREAM) !== 0,
    );
  }

  /** Waits until the connection is closed. */
  async closed(): Promise<void> {
    await until(() => this.isClosed);
  }

  /** Sends a ping and waits for its acknowledgement, or for the end of the connection: everything sent before has then been handled. */
  async settled(): Promise<void> {
    const pings = this.#acknowledgedPings();
    this.send(frame(FRAME.PING, 0, 0, Buffer.alloc(8)));
    await until(() => this.isClosed || this.#acknowledgedPings() > pings);
  }

  #acknowledgedPings(): number {
    return this.framesOf(0, FRAME.PING).filter(({ flags }) => flags === FLAG.ACK).length;
  }

  #take(bytes: Buffer): void {
    for (const each of this.#reader.take(bytes)) {
      this.frames.push(each);
      if (each.type === FRAME.HEADERS || each.type === FRAME.CONTINUATION) {
        this.#block = Buffer.concat([this.#block, each.payload]);
        if ((each.flags & FLAG.END_HEADERS) !== 0) {
          const { fields } = this.#decoder.decode(this.#block, 0, this.#block.length);
          const heads = this.#heads.get(each.stream) ?? [];
          heads.push(fields.map(({ name, value }) => `${name}: ${value}`));
          this.#heads.set(each.stream, heads);
          this.#block = Buffer.alloc(0);
        }
      }
    }
  }
}

/** Connects without sending anything. */
async function connectPeer(port: number): Promise<H2Peer> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  onTestFinished(() => {
    socket.destroy();
  });
  const peer = new H2Peer(socket);
  await once(socket, "connect");
  return peer;
}

/** Connects and sends the preface and these settings. */
export async function openPeer(port: number, settings: Readonly<Record<number, number>> = {}): Promise<H2Peer> {
  const peer = await connectPeer(port);
  peer.send(PREFACE, settingsFrame(settings));
  return peer;
}

/** SETTINGS, by their numbers. */
export function settingsFrame(settings: Readonly<Record<number, number>>): Buffer {
  const entries = Object.entries(settings);
  const payload = Buffer.alloc(6 * entries.length);
  for (const [index, [id, value]] of entries.entries()) {
    payload.writeUInt16BE(Number(id), 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return frame(FRAME.SETTINGS, 0, 0, payload);
}

/** Encodes headers without a table. */
export function encodeFields(fields: Fields): Buffer {
  const into = Buffer.alloc(fields.reduce((bytes, [name, value]) => bytes + fieldBytesMax(name, value), 0));
  return into.subarray(
    0,
    fields.reduce((at, [name, value]) => writeField(into, at, name, value), 0),
  );
}

/** A request for the host `a` as one frame of headers. */
export function requestFrame(
  stream: number,
  { method = "GET", path = "/", more = [], end = true }: { method?: string; path?: string; more?: Fields; end?: boolean } = {},
): Buffer {
  const fields: Fields = [[":method", method], [":scheme", "http"], [":path", path], [":authority", "a"], ...more];
  return frame(FRAME.HEADERS, FLAG.END_HEADERS | (end ? FLAG.END_STREAM : 0), stream, encodeFields(fields));
}

/** A 32-bit number: the payload of WINDOW_UPDATE and RST_STREAM. */
export function uint32(value: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value);
  return payload;
}
