// Cuts a body into its messages while it arrives: JSON, lines of JSON, or envelopes. The caller limits how much it reads.
import { base64Segments, joined, textOf } from "./bytes.ts";

/** One message of a body, or what its protocol puts at the end. */
export interface BodyMessage {
  readonly kind: "message" | "end-of-stream" | "trailers";
  /** Without its envelope or line break. */
  readonly bytes: Uint8Array;
}

/** Takes a body in pieces. */
export interface Splitter {
  /** Returns the messages that this piece completes. */
  push(piece: Uint8Array): readonly BodyMessage[];
  /** What is left at the body's end: nothing, if it ended properly. */
  end(): readonly BodyMessage[];
}

const HEAD_BYTES = 5;
const END_OF_STREAM = 0x02;
const TRAILERS = 0x80;
const NEWLINE = 0x0a;

/** The splitter for a body of this media type. */
export function splitterFor(mediaType: string): Splitter {
  const type = mediaType.split(";")[0]?.trim() ?? "";
  if (type === "application/x-ndjson") {
    return messageSplitter((rest, take) => takeLine(rest, take), asMessage);
  }
  if (type.startsWith("application/grpc-web-text")) {
    return base64Splitter(messageSplitter(takeEnvelope, () => []));
  }
  return type.startsWith("application/grpc") || type.startsWith("application/connect+")
    ? messageSplitter(takeEnvelope, () => [])
    : wholeBodySplitter();
}

const asMessage = (rest: Uint8Array): readonly BodyMessage[] => (rest.length === 0 ? [] : [{ kind: "message", bytes: rest }]);

// One message, which ends with the body.
function wholeBodySplitter(): Splitter {
  const waiting: Uint8Array[] = [];
  return {
    push(piece) {
      waiting.push(piece);
      return [];
    },
    end: () => asMessage(joined(waiting)),
  };
}

// Passes one complete message to `take` and returns how many bytes it took; 0 if none is complete.
type TakeOne = (rest: Uint8Array, take: (message: BodyMessage) => void) => number;

function messageSplitter(takeOne: TakeOne, atEnd: (rest: Uint8Array) => readonly BodyMessage[]): Splitter {
  let waiting: Uint8Array[] = [];
  const gather = (): Uint8Array => {
    const [only] = waiting;
    return waiting.length === 1 && only !== undefined ? only : joined(waiting);
  };
  return {
    push(piece) {
      waiting.push(piece);
      const whole = gather();
      const messages: BodyMessage[] = [];
      let at = 0;
      for (let taken = -1; taken !== 0; at += taken) {
        taken = takeOne(whole.subarray(at), (message) => messages.push(message));
      }
      waiting = at === 0 ? waiting : [whole.subarray(at)];
      return messages;
    },
    end: () => atEnd(gather()),
  };
}

const takeLine: TakeOne = (rest, take) => {
  const newline = rest.indexOf(NEWLINE);
  if (newline > 0) {
    take({ kind: "message", bytes: rest.subarray(0, newline) });
  }
  return newline + 1;
};

const takeEnvelope: TakeOne = (rest, take) => {
  if (rest.length < HEAD_BYTES) {
    return 0;
  }
  const end = HEAD_BYTES + new DataView(rest.buffer, rest.byteOffset + 1).getUint32(0);
  if (rest.length < end) {
    return 0;
  }
  const flag = rest[0] ?? 0;
  const kind = (flag & TRAILERS) !== 0 ? "trailers" : (flag & END_OF_STREAM) !== 0 ? "end-of-stream" : "message";
  take({ kind, bytes: rest.subarray(HEAD_BYTES, end) });
  return end;
};

// Four characters of base64 encode three bytes.
function base64Splitter(inner: Splitter): Splitter {
  let rest = "";
  return {
    push(piece) {
      const text = rest + textOf(piece);
      const whole = text.length - (text.length % 4);
      rest = text.slice(whole);
      return inner.push(base64Segments(text.slice(0, whole)));
    },
    end: () => inner.end(),
  };
}
