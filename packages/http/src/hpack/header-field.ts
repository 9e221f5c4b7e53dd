// A header as HPACK represents it, and which bytes may be in its name and value over HTTP/2.
import { withoutBlanks } from "../headers.ts";

/**
 * How much each entry counts in addition to its bytes, here and in SETTINGS_MAX_HEADER_LIST_SIZE.
 * https://www.rfc-editor.org/rfc/rfc7541#section-4.1
 */
export const FIELD_OVERHEAD_BYTES = 32;

/** A header. Every reference to a table entry returns the same object, so a caller may use it as the key of a cache. */
export class HeaderField {
  /** As sent. A well-formed name is in lower case; a pseudo-header's begins with a colon. One character per byte. */
  readonly name: string;
  /** One character per byte, without the spaces and tabs around it. Those of a pseudo-header are kept, and invalid. */
  readonly value: string;
  /** Whether the name is a lower-case token, optionally after a colon. */
  readonly isNameWellFormed: boolean;
  /**
   * Whether the name is well-formed, and the value has no control characters except tabs. A header that is not well-formed makes the
   * request malformed. https://www.rfc-editor.org/rfc/rfc9113#section-8.2.1
   */
  readonly isWellFormed: boolean;
  /** How much it counts against the size of a table or a header list. */
  readonly bytes: number;

  /** `named` is a header of the same name, if there is one. */
  constructor(name: string, value: string, named?: HeaderField) {
    this.name = name;
    // A key is often pasted with a space. gRPC and HTTP/1.1 strip blanks, so this does, although RFC 9113 calls them malformed.
    this.value = name.charCodeAt(0) === COLON ? value : withoutBlanks(value);
    this.isNameWellFormed = named === undefined ? isNameWellFormed(name) : named.isNameWellFormed;
    this.isWellFormed = this.isNameWellFormed && isValueWellFormed(value);
    this.bytes = name.length + value.length + FIELD_OVERHEAD_BYTES;
  }
}

const TOKEN = 1;
const VALUE = 2;

const COLON = 0x3a;
const SPACE = 0x20;
const TAB = 0x09;

const CLASSES = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const isToken = /[!#$%&'*+.^_`|~0-9a-z-]/.test(String.fromCharCode(byte));
  const isValue = byte === TAB || (byte >= SPACE && byte !== 0x7f);
  CLASSES[byte] = (isToken ? TOKEN : 0) | (isValue ? VALUE : 0);
}

function isNameWellFormed(name: string): boolean {
  const first = name.charCodeAt(0) === COLON ? 1 : 0;
  let common = TOKEN;
  for (let i = first; i < name.length; i++) {
    common &= CLASSES[name.charCodeAt(i)] as number;
  }
  return common !== 0 && name.length > first;
}

function isValueWellFormed(value: string): boolean {
  let common = VALUE;
  for (let i = 0; i < value.length; i++) {
    common &= CLASSES[value.charCodeAt(i)] as number;
  }
  return common !== 0;
}
