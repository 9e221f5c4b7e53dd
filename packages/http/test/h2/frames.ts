// HTTP/2 frames as plain bytes, valid or invalid as a test needs them. https://www.rfc-editor.org/rfc/rfc9113#section-4.1

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const FLAG = { ACK: 1, END_STREAM: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const;

/** One frame as it was received. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Writes one frame. `announced` is the length in its header, if it differs from the payload's. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = NO_PAYLOAD,
  announced = payload.length,
): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.writeUIntBE(announced, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, 9);
  return bytes;
}

const NO_PAYLOAD = Buffer.alloc(0);

/** Splits received bytes into frames, however they were cut. */
export class FrameReader {
  #rest: Buffer = NO_PAYLOAD;
  #skipped: number;

  /** `skipped` bytes precede the first frame: a client's preface. */
  constructor(skipped = 0) {
    this.#skipped = skipped;
  }

  /** The frames that these bytes complete. */
  take(bytes: Buffer): readonly Frame[] {
    this.#rest = Buffer.concat([this.#rest, bytes.subarray(this.#skipped)]);
    this.#skipped = Math.max(0, this.#skipped - bytes.length);
    const frames: Frame[] = [];
    while (this.#rest.length >= 9) {
      const end = 9 + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) {
        break;
      }
      const [type = 0, flags = 0] = this.#rest.subarray(3, 5);
      frames.push({ type, flags, stream: this.#rest.readUInt32BE(5) & 0x7fffffff, payload: this.#rest.subarray(9, end) });
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}
