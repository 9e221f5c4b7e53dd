// A whole body as a tree: what its media type says it contains, with the range of each part in the bytes.
import type { DescMessage, Registry } from "@bufbuild/protobuf";
import { base64Segments, textOf } from "./bytes.ts";
import { jsonNode } from "./json-tree.ts";
import { type NodeBudget, quoted, takeNode, type WireNode } from "./node.ts";
import { protobufNodes } from "./protobuf-tree.ts";
import { trailerNodes } from "./trailer-nodes.ts";

export interface BodyReading {
  /** The type of its messages. */
  readonly desc: DescMessage;
  /** Knows the message types of error details. */
  readonly registry: Registry;
  readonly budget: NodeBudget;
}

/** A body that has been read. */
export interface WireBody {
  /** The bytes that the nodes' ranges refer to: the body itself, or the decoded base64. */
  readonly bytes: Uint8Array;
  readonly nodes: readonly WireNode[];
}

const HEAD_BYTES = 5;
const COMPRESSED = 0x01;
// The last envelope of a stream in Connect, and of every response in gRPC-Web.
const END_OF_STREAM = 0x02;
const TRAILERS = 0x80;
const NEWLINE = 0x0a;

export function bodyTree(mediaType: string, body: Uint8Array, reading: BodyReading): WireBody {
  const type = mediaType.split(";")[0]?.trim() ?? "";
  if (type.startsWith("application/grpc-web-text")) {
    const bytes = base64Segments(textOf(body));
    return { bytes, nodes: envelopeNodes(bytes, false, reading) };
  }
  return { bytes: body, nodes: nodesOf(type, body, reading) };
}

function nodesOf(type: string, body: Uint8Array, reading: BodyReading): readonly WireNode[] {
  const { desc, budget } = reading;
  if (body.length === 0) {
    return [];
  }
  switch (type) {
    case "application/json":
      return [jsonNode(body, 0, body.length, "JSON", budget)];
    case "application/x-ndjson":
      return lineNodes(body, budget);
    case "application/proto":
      return protobufNodes(body, 0, body.length, desc, budget);
    case "application/connect+json":
      return envelopeNodes(body, true, reading);
    case "application/connect+proto":
      return envelopeNodes(body, false, reading);
    default:
      return type.startsWith("application/grpc")
        ? envelopeNodes(body, type.endsWith("+json"), reading)
        : [node("Text", "", quoted(textOf(body)), 0, body.length)];
  }
}

const node = (label: string, note: string, value: string, start: number, end: number): WireNode => ({
  label,
  note,
  value,
  start,
  end,
  parts: [{ kind: "value", start, end }],
  children: [],
});

function lineNodes(body: Uint8Array, budget: NodeBudget): readonly WireNode[] {
  const nodes: WireNode[] = [];
  for (let start = 0; start < body.length && takeNode(budget); ) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline === -1 ? body.length : newline;
    nodes.push(jsonNode(body, start, end, `line ${nodes.length + 1}`, budget));
    start = end + 1;
  }
  return nodes;
}

function envelopeNodes(bytes: Uint8Array, isJson: boolean, reading: BodyReading): readonly WireNode[] {
  const nodes: WireNode[] = [];
  for (let start = 0; start < bytes.length && takeNode(reading.budget); ) {
    const messageStart = start + HEAD_BYTES;
    const length = messageStart > bytes.length ? 0 : new DataView(bytes.buffer, bytes.byteOffset + start + 1).getUint32(0);
    const end = messageStart + length;
    if (end > bytes.length) {
      nodes.push(node("Envelope", "is incomplete", `${bytes.length - start} bytes`, start, bytes.length));
      break;
    }
    nodes.push(envelopeNode(bytes, start, end, isJson, reading));
    start = end;
  }
  return nodes;
}

function envelopeNode(
  bytes: Uint8Array,
  start: number,
  end: number,
  isJson: boolean,
  { desc, registry, budget }: BodyReading,
): WireNode {
  const flag = bytes[start] ?? 0;
  const messageStart = start + HEAD_BYTES;
  const children = (): readonly WireNode[] => {
    if ((flag & COMPRESSED) !== 0) {
      return [node("compressed", "not decoded", `${end - messageStart} bytes`, messageStart, end)];
    }
    if ((flag & TRAILERS) !== 0) {
      return trailerNodes(bytes, messageStart, end, registry, budget);
    }
    if (isJson || (flag & END_OF_STREAM) !== 0) {
      return [jsonNode(bytes, messageStart, end, "JSON", budget)];
    }
    return protobufNodes(bytes, messageStart, end, desc, budget);
  };
  return {
    label: (flag & TRAILERS) !== 0 ? "Trailers" : (flag & END_OF_STREAM) !== 0 ? "End of stream" : "Envelope",
    note: `flag 0x${flag.toString(16).padStart(2, "0")}, ${end - messageStart} bytes`,
    value: "",
    start,
    end,
    parts: [
      { kind: "flag", start, end: start + 1 },
      { kind: "length", start: start + 1, end: messageStart },
    ],
    children: children(),
  };
}
