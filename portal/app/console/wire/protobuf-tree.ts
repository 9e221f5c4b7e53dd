// Decodes a message's bytes into a tree, with the range of every tag, length and value. Unlike protobuf's own decoder, it keeps their
// positions, and shows unknown fields. https://protobuf.dev/programming-guides/encoding/
import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { type NodeBudget, type NodePart, quoted, takeNode, type WireNode } from "./node.ts";

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;
const WIRE_TYPES: Readonly<Record<number, string>> = {
  [VARINT]: "varint",
  [FIXED64]: "64 bits",
  [DELIMITED]: "length-delimited",
  [FIXED32]: "32 bits",
};
const VARINT_BYTES_MAX = 10;

// The type of a field's value, or undefined if the descriptor does not know the field's number.
interface Type {
  readonly scalar?: ScalarType | undefined;
  readonly enum?: DescEnum | undefined;
  readonly message?: DescMessage | undefined;
}

class Malformed extends Error {}

/** The nodes of the fields in `bytes` from `start` to `end`. Bytes that cannot be decoded become one node that says so. */
export function protobufNodes(
  bytes: Uint8Array,
  start: number,
  end: number,
  desc: DescMessage | undefined,
  budget: NodeBudget,
): readonly WireNode[] {
  const nodes: WireNode[] = [];
  let at = start;
  while (at < end && takeNode(budget)) {
    try {
      const node = fieldNode(bytes, at, end, desc, budget);
      nodes.push(node);
      at = node.end;
    } catch (error) {
      if (!(error instanceof Malformed)) {
        throw error;
      }
      nodes.push({ label: "?", note: error.message, value: `${end - at} bytes`, start: at, end, parts: [], children: [] });
      break;
    }
  }
  return nodes;
}

function fieldNode(bytes: Uint8Array, start: number, end: number, desc: DescMessage | undefined, budget: NodeBudget): WireNode {
  const tag = readVarint(bytes, start, end);
  const number = Number(tag.value >> 3n);
  const wireType = Number(tag.value & 7n);
  const field = desc?.fields.find((one) => one.number === number);
  const parts: NodePart[] = [{ kind: "tag", start, end: tag.end }];
  const note = `field ${number}, ${WIRE_TYPES[wireType] ?? `wire type ${wireType}`}`;
  const label = field?.name ?? "unknown";
  let at = tag.end;
  let size: number;
  if (wireType === DELIMITED) {
    const length = readVarint(bytes, at, end);
    parts.push({ kind: "length", start: at, end: length.end });
    at = length.end;
    size = Number(length.value);
    if (size > end - at) {
      throw new Malformed("is shorter than its length says");
    }
  } else {
    size = plainSize(bytes, at, end, wireType);
  }
  const valueEnd = at + size;
  parts.push({ kind: "value", start: at, end: valueEnd });
  const read = readValue(bytes, at, valueEnd, wireType, field, budget);
  return {
    label,
    note: `${note}${read.note ?? ""}`,
    value: read.value,
    start,
    end: valueEnd,
    parts,
    children: read.children ?? [],
  };
}

interface ReadValue {
  readonly value: string;
  readonly note?: string;
  readonly children?: readonly WireNode[];
}

// How many bytes a value that is not length-delimited takes. Never more than there are before `end`.
function plainSize(bytes: Uint8Array, at: number, end: number, wireType: number): number {
  switch (wireType) {
    case VARINT:
      return readVarint(bytes, at, end).end - at;
    case FIXED64:
      return fixedSize(8, at, end);
    case FIXED32:
      return fixedSize(4, at, end);
    default:
      throw new Malformed(`has the wire type ${wireType}, which proto3 does not use`);
  }
}

function fixedSize(size: number, at: number, end: number): number {
  if (size > end - at) {
    throw new Malformed("ends inside a value");
  }
  return size;
}

function readValue(
  bytes: Uint8Array,
  start: number,
  end: number,
  wireType: number,
  field: DescField | undefined,
  budget: NodeBudget,
): ReadValue {
  if (wireType !== DELIMITED) {
    return { value: plainValue(bytes, start, end, wireType, field ?? {}) };
  }
  if (field?.fieldKind === "map") {
    return { value: "", note: ", map entry", children: entryNodes(bytes, start, end, field, budget) };
  }
  if (field?.message !== undefined) {
    return { value: end === start ? "{}" : "", children: protobufNodes(bytes, start, end, field.message, budget) };
  }
  if (field?.scalar === ScalarType.STRING) {
    return { value: quoted(new TextDecoder().decode(bytes.subarray(start, end))) };
  }
  if (field !== undefined && field.scalar !== ScalarType.BYTES) {
    return { value: "", note: ", packed", children: packedNodes(bytes, start, end, field, budget) };
  }
  return { value: hexOf(bytes.subarray(start, end)) };
}

// The key and the value of a map's entry are its fields 1 and 2.
function entryNodes(
  bytes: Uint8Array,
  start: number,
  end: number,
  field: DescField & { readonly fieldKind: "map" },
  budget: NodeBudget,
): readonly WireNode[] {
  const types: readonly Type[] = [{ scalar: field.mapKey }, { scalar: field.scalar, enum: field.enum, message: field.message }];
  const fields = types.map((type, index) => ({
    ...type,
    name: index === 0 ? "key" : "value",
    number: index + 1,
    fieldKind: type.message === undefined ? (type.enum === undefined ? "scalar" : "enum") : "message",
  }));
  return protobufNodes(bytes, start, end, { fields } as unknown as DescMessage, budget);
}

function packedNodes(bytes: Uint8Array, start: number, end: number, type: Type, budget: NodeBudget): readonly WireNode[] {
  const wireType = wireTypeOf(type);
  const nodes: WireNode[] = [];
  for (let at = start; at < end && takeNode(budget); ) {
    const size = plainSize(bytes, at, end, wireType);
    const part = { kind: "value", start: at, end: at + size } as const;
    nodes.push({
      ...part,
      label: `[${nodes.length}]`,
      note: "",
      value: plainValue(bytes, at, at + size, wireType, type),
      parts: [part],
      children: [],
    });
    at += size;
  }
  return nodes;
}

function wireTypeOf({ scalar }: Type): number {
  switch (scalar) {
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return FIXED64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return FIXED32;
    default:
      return VARINT;
  }
}

function plainValue(bytes: Uint8Array, start: number, end: number, wireType: number, type: Type): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, end - start);
  if (wireType === FIXED64) {
    return String(
      type.scalar === ScalarType.DOUBLE
        ? view.getFloat64(0, true)
        : type.scalar === ScalarType.SFIXED64
          ? view.getBigInt64(0, true)
          : view.getBigUint64(0, true),
    );
  }
  if (wireType === FIXED32) {
    return String(
      type.scalar === ScalarType.FLOAT
        ? view.getFloat32(0, true)
        : type.scalar === ScalarType.SFIXED32
          ? view.getInt32(0, true)
          : view.getUint32(0, true),
    );
  }
  return varintText(readVarint(bytes, start, end).value, type);
}

function varintText(value: bigint, { scalar, enum: desc }: Type): string {
  if (desc !== undefined) {
    const number = Number(BigInt.asIntN(32, value));
    return desc.values.find((one) => one.number === number)?.name ?? String(number);
  }
  switch (scalar) {
    case ScalarType.BOOL:
      return value === 0n ? "false" : "true";
    case ScalarType.INT32:
      return String(BigInt.asIntN(32, value));
    case ScalarType.INT64:
      return String(BigInt.asIntN(64, value));
    case ScalarType.SINT32:
    case ScalarType.SINT64:
      // Zigzag: 0, -1, 1, -2 …
      return String((value >> 1n) ^ -(value & 1n));
    default:
      return String(value);
  }
}

function readVarint(bytes: Uint8Array, start: number, end: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let at = start; at < end && at < start + VARINT_BYTES_MAX; at++) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte < 0x80) {
      return { value, end: at + 1 };
    }
  }
  throw new Malformed("has a varint that does not end");
}

const HEX_BYTES_MAX = 32;

const hexOf = (bytes: Uint8Array): string =>
  `${[...bytes.subarray(0, HEX_BYTES_MAX)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ")}${
    bytes.length > HEX_BYTES_MAX ? `… ${bytes.length} bytes` : ""
  }`;
