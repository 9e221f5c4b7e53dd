// Checks JSON before it is parsed, in one cheap pass over its bytes: how deep it nests and how many values it has. A few kilobytes
// can nest thousands of levels, and a parser would build objects for all of them.
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { JSON_DEPTH_MAX } from "./json.ts";

/** The most values that a request may have, in any format. No valid message has more: the longest list has 100. */
export const VALUES_MAX = 1000;
// Extra depth for fields of a newer contract, which are unknown here.
const UNKNOWN_DEPTH = 4;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

const depths = new WeakMap<DescMessage, number>();

/** How deep the JSON of a message may nest: as deep as its fields, and a little deeper. */
export function jsonDepthMax(desc: DescMessage): number {
  let depth = depths.get(desc);
  if (depth === undefined) {
    depth = Math.min(depthOf(desc, new Set()) + UNKNOWN_DEPTH, JSON_DEPTH_MAX);
    depths.set(desc, depth);
  }
  return depth;
}

// Infinite for messages that may contain themselves, such as free JSON, and for google.protobuf.Any.
function depthOf(desc: DescMessage, outer: ReadonlySet<DescMessage>): number {
  if (outer.has(desc) || desc.typeName === "google.protobuf.Any") {
    return Number.POSITIVE_INFINITY;
  }
  const within = new Set([...outer, desc]);
  return 1 + Math.max(0, ...desc.fields.map((field) => depthOfField(field, within)));
}

function depthOfField(field: DescField, outer: ReadonlySet<DescMessage>): number {
  const own = field.fieldKind === "list" || field.fieldKind === "map" ? 1 : 0;
  return own + (field.message === undefined ? 0 : depthOf(field.message, outer));
}

/**
 * Which limit a JSON text in UTF-8 exceeds, phrased as a predicate to put after the input's name: `nests deeper than 5 levels`. Undefined
 * if it exceeds none.
 */
export function jsonExcess(text: Uint8Array, depthMax: number): string | undefined {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        values += 1;
        if (depth > depthMax) {
          return `nests deeper than ${depthMax} levels`;
        }
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
    }
    if (values > VALUES_MAX) {
      return `has more than ${VALUES_MAX} values`;
    }
  }
  return undefined;
}

// The index of the quote that closes the string opened at `start`; the end of the input if there is none.
function endOfString(text: Uint8Array, start: number): number {
  for (let index = start + 1; ; index++) {
    const byte = text[index];
    if (byte === QUOTE || byte === undefined) {
      return index;
    }
    if (byte === BACKSLASH) {
      index += 1;
    }
  }
}
