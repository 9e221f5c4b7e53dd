// Writes messages as JSON text. Services with a cache return the same messages again and again, such as the score of a roll, or a
// station found by many searches. A frozen message cannot change, so its text is written once and kept with the message.
import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { type SizedText, sized, TextBuilder } from "@quintet/http";
import { left_out_when_empty } from "../../../gen/quintet/options/v1/options_pb.js";
import { EncodingCache } from "../encoding-cache.ts";
import { fieldsConversion, messageConversion } from "./rest-encoder.ts";
import { valueConversion } from "./rest-value-encoder.ts";

/** Writes a message as a single line of JSON. */
export type WriteText = (message: unknown) => SizedText;

// Writes some of a message's fields, without braces; empty if all of them are left out.
type WriteFields = (message: Record<string, unknown>) => SizedText;

/** Compiles the writer of a message type. Throws an Error if REST does not support it or a message in it. */
export function compileText(desc: DescMessage): WriteText {
  const write = compileNewText(desc);
  return (message) => textOf(message as object, write);
}

function compileNewText(desc: DescMessage): WriteText {
  const convert = messageConversion(desc);
  const lists = desc.fields.filter(isListOfMessages);
  if (lists.length === 0) {
    return (message) => sized(JSON.stringify(convert(message)));
  }
  const names = lists.map(({ localName }) => localName);
  const pieces = piecesOf(desc.fields);
  return (message) => {
    const values = message as Record<string, unknown>;
    if (!names.some((name) => Object.isFrozen((values[name] as readonly unknown[])[0] ?? UNFROZEN))) {
      return sized(JSON.stringify(convert(message)));
    }
    const all = new TextBuilder();
    all.addAscii("{");
    for (const write of pieces) {
      const piece = write(values);
      if (piece.bytes > 0 && all.bytes > "{".length) {
        all.addAscii(",");
      }
      all.add(piece);
    }
    all.addAscii("}");
    return all;
  };
}

// Stands for the first element of an empty list: `undefined` counts as frozen.
const UNFROZEN = {};

const isListOfMessages = (field: DescField): boolean =>
  field.fieldKind === "list" && field.listKind === "message" && valueConversion(field) === undefined;

// Each list of messages is a separate piece, and so are the other fields between two such lists.
function piecesOf(fields: readonly DescField[]): WriteFields[] {
  const pieces: WriteFields[] = [];
  let others: DescField[] = [];
  const endOthers = (): void => {
    if (others.length > 0) {
      const convert = fieldsConversion(others);
      pieces.push((message) => sized(JSON.stringify(convert(message)).slice(1, -1)));
      others = [];
    }
  };
  for (const field of fields) {
    if (isListOfMessages(field)) {
      endOthers();
      pieces.push(listPiece(field));
    } else {
      others.push(field);
    }
  }
  endOthers();
  return pieces;
}

function listPiece(field: DescField): WriteFields {
  const { name, localName } = field;
  const convert = messageConversion(field.message as DescMessage);
  const write: WriteText = (element) => sized(JSON.stringify(convert(element)));
  const start = `${JSON.stringify(name)}:[`;
  const ofEmpty = sized(getOption(field, left_out_when_empty) ? "" : `${start}]`);
  return (message) => {
    const elements = message[localName] as readonly object[];
    if (elements.length === 0) {
      return ofEmpty;
    }
    const all = new TextBuilder();
    all.addAscii(start);
    for (let at = 0; at < elements.length; at += 1) {
      if (at > 0) {
        all.addAscii(",");
      }
      all.add(textOf(elements[at] as object, write));
    }
    all.addAscii("]");
    return all;
  };
}

/** The most memory for texts that are kept, for all messages of a thread together. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;
const kept = new EncodingCache<SizedText>(KEPT_BYTES_MAX, ({ bytes }) => bytes);

function textOf(message: object, write: WriteText): SizedText {
  const known = kept.get(message);
  if (known !== undefined) {
    return known;
  }
  const { text } = write(message);
  const measured = sized(text);
  kept.keep(message, measured);
  return measured;
}
