// Floods for many connections of one address, which stay within the bounds of one connection or reconnect when it is cut.
import { FLOODS } from "../h2/attacks.ts";
import { FLAG, FRAME, frame } from "../h2/frames.ts";
import { encodeFields, requestFrame, uint32 } from "../h2/peer.ts";

/** One flood: the piece at an index is sent over each connection. */
export interface FloodOfMany {
  readonly name: string;
  readonly piece: (number: number) => Buffer;
}

/** The client's streams by index. */
const streamOf = (number: number): number => 2 * number + 1;
/** How much later a request is reset, so that its work has started: it arrives in another write. */
const RESET_BEHIND = 20;
const CONTINUATIONS = 10;

// A header block within the bounds, in eleven frames.
const head = encodeFields([
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/livez"],
  [":authority", "a.example"],
]);
const parts = Array.from({ length: CONTINUATIONS }, (_, part) =>
  encodeFields(Array.from({ length: 8 }, (__, at) => [`x-${part}-${at}`, "a".repeat(150)] as const)),
);
const continued = (stream: number): Buffer =>
  Buffer.concat([
    frame(FRAME.HEADERS, FLAG.END_STREAM, stream, head),
    ...parts.map((part, at) => frame(FRAME.CONTINUATION, at === parts.length - 1 ? FLAG.END_HEADERS : 0, stream, part)),
  ]);

const faults = FLOODS.filter(({ name }) => name.startsWith("streams that we must reset"));

export const FLOODS_OF_MANY: readonly FloodOfMany[] = [
  { name: "header blocks of ten CONTINUATIONs, within the bounds", piece: (number) => continued(streamOf(number)) },
  {
    name: "requests that are reset once their work has started",
    piece: (number) => {
      const reset = number < RESET_BEHIND ? [] : [frame(FRAME.RST_STREAM, 0, streamOf(number - RESET_BEHIND), uint32(8))];
      return Buffer.concat([requestFrame(streamOf(number)), ...reset]);
    },
  },
  {
    name: "faults that make us reset, one after another",
    piece: (number) => faults[number % faults.length]?.piece(number) ?? Buffer.alloc(0),
  },
  {
    name: "requests that are cancelled at once",
    piece: (number) => Buffer.concat([requestFrame(streamOf(number)), frame(FRAME.RST_STREAM, 0, streamOf(number), uint32(8))]),
  },
];
