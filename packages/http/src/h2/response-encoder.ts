// Writes the heads and trailers of one connection's responses. Repeated headers go into HPACK's table. All headers are checked before
// the first is written: a header that has entered the table must also be sent, or the peer's table would differ.
// https://www.rfc-editor.org/rfc/rfc9113#section-8.2
import { CONNECTION_SPECIFIC, checkHeaderValue, isBlank, type ResponseHeaders } from "../headers.ts";
import { BLOCK_START_BYTES_MAX, HpackEncoder } from "../hpack/encoder.ts";
import { KnownFields } from "../hpack/known-fields.ts";
import { fieldBytesMax, writeSecretField } from "../hpack/literals.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { FRAME_HEAD_BYTES } from "./protocol.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const BLANKS_AROUND = /^[\t ]+|[\t ]+$/g;
const FORBIDDEN: ReadonlySet<string> = new Set([...CONNECTION_SPECIFIC, "http2-settings"]);
/** How many names are remembered. */
const NAMES_MAX = 256;
/** A header with more values than this is assumed to change each time, and is kept out of the table. */
const VALUES_MAX = 8;
const REPEATED_LENGTH_MAX = 128;

interface KnownName {
  readonly isSecret: boolean;
  readonly values: Set<string>;
  isChanging: boolean;
}

// Shared by all connections of this thread.
const knownNames = new Map<string, KnownName>();
const knownFields = new KnownFields();

type Kind = "repeated" | "changing" | "secret";

// The checked headers of the block that is being written. Only one block is written at a time.
const names: string[] = [];
const values: string[] = [];
const kinds: Kind[] = [];
let fields = 0;
let fieldBytes = 0;

/** Writes the header blocks of one connection. */
export class ResponseEncoder {
  readonly #writer: FrameWriter;
  readonly #encoder = new HpackEncoder(knownFields);

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  setTableBytesMax(bytes: number): void {
    this.#encoder.setTableBytesMax(bytes);
  }

  /**
   * Writes a head. `length`: the length of the body, if it is announced. If a header cannot be sent, throws a TypeError and writes nothing.
   */
  head(
    streamId: number,
    status: number,
    headers: ResponseHeaders,
    { requestId, length, date }: { readonly requestId: string; readonly length: number | undefined; readonly date: string },
    isLast: boolean,
  ): void {
    fields = 0;
    fieldBytes = 0;
    add(":status", String(status), "repeated");
    checkAll(headers);
    add("x-request-id", requestId, "changing");
    if (length !== undefined) {
      add("content-length", String(length), "changing");
    }
    add("date", date, "changing");
    this.#write(streamId, isLast);
  }

  /** Writes trailers, which end the stream. Throws as `head` does. */
  trailers(streamId: number, trailers: Readonly<Record<string, string>>): void {
    fields = 0;
    fieldBytes = 0;
    checkAll(trailers);
    this.#write(streamId, true);
  }

  /** Writes `100 Continue`. */
  informational(streamId: number): void {
    fields = 0;
    fieldBytes = 0;
    add(":status", "100", "repeated");
    this.#write(streamId, false);
  }

  #write(streamId: number, isLast: boolean): void {
    const encoder = this.#encoder;
    const writer = this.#writer;
    const buffer = writer.reserve(FRAME_HEAD_BYTES + BLOCK_START_BYTES_MAX + fieldBytes);
    const blockAt = writer.at + FRAME_HEAD_BYTES;
    let at = encoder.startBlock(buffer, blockAt);
    for (let i = 0; i < fields; i++) {
      const name = names[i] as string;
      const value = values[i] as string;
      const kind = kinds[i] as Kind;
      if (kind === "repeated") {
        at = encoder.writeRepeatedField(buffer, at, name, value);
      } else if (kind === "changing") {
        at = encoder.writeChangingField(buffer, at, name, value);
      } else {
        at = writeSecretField(buffer, at, name, value);
      }
    }
    writer.headers(streamId, buffer, blockAt, at, isLast);
  }
}

/** Throws a TypeError if trailers cannot be sent. */
export function checkTrailers(trailers: Readonly<Record<string, string>>): void {
  fields = 0;
  checkAll(trailers);
}

function checkAll(headers: ResponseHeaders): void {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string") {
      check(name, value);
    } else if (typeof value === "number") {
      check(name, String(value));
    } else if (value !== undefined) {
      for (const one of value) {
        check(name, one);
      }
    }
  }
}

function check(name: string, value: string): void {
  const known = knownNames.get(name) ?? addName(name);
  if (!known.isChanging && known.values.has(value)) {
    add(name, value, "repeated");
    return;
  }
  checkHeaderValue(name, value);
  const sent =
    isBlank(value.charCodeAt(0)) || isBlank(value.charCodeAt(value.length - 1)) ? value.replace(BLANKS_AROUND, "") : value;
  if (known.isSecret) {
    add(name, sent, "secret");
  } else if (known.isChanging || sent.length > REPEATED_LENGTH_MAX) {
    add(name, sent, "changing");
  } else if (known.values.size >= VALUES_MAX) {
    known.isChanging = true;
    known.values.clear();
    add(name, sent, "changing");
  } else {
    known.values.add(sent);
    add(name, sent, "repeated");
  }
}

function addName(name: string): KnownName {
  if (!TOKEN.test(name) || FORBIDDEN.has(name)) {
    throw new TypeError("A header has a name that cannot be sent.");
  }
  const known = { isSecret: name === "set-cookie", values: new Set<string>(), isChanging: knownNames.size >= NAMES_MAX };
  if (!known.isChanging) {
    knownNames.set(name, known);
  }
  return known;
}

function add(name: string, value: string, kind: Kind): void {
  names[fields] = name;
  values[fields] = value;
  kinds[fields] = kind;
  fields += 1;
  fieldBytes += fieldBytesMax(name, value);
}
