// One header as HPACK knows it.
import { isNameWellFormed, isValueWellFormed } from "./octets.ts";

/** What each entry counts besides its octets, here and in SETTINGS_MAX_HEADER_LIST_SIZE. https://www.rfc-editor.org/rfc/rfc7541#section-4.1 */
export const FIELD_OVERHEAD_BYTES = 32;

/**
 * One header. One that stands in a table is the same object each time it is referred to, so what a caller worked out of it can be looked up
 * by identity.
 */
export class HeaderField {
  /** As sent: a well-formed one is in lower case, or a pseudo-header's with its colon. One character an octet. */
  readonly name: string;
  /** One character an octet. */
  readonly value: string;
  /** Whether the name is a lower-case token, with a colon before it at most. */
  readonly isNameWellFormed: boolean;
  /**
   * Whether the name is well-formed, and the value has no control characters but tabs, and neither begins nor ends with a space or a tab.
   * One that is not makes the request malformed. https://www.rfc-editor.org/rfc/rfc9113#section-8.2.1
   */
  readonly isWellFormed: boolean;
  /** What it counts against the size of a table, and of a header list. */
  readonly bytes: number;

  /** `named` is a header of the same name, where there is one. */
  constructor(name: string, value: string, named?: HeaderField) {
    this.name = name;
    this.value = value;
    this.isNameWellFormed = named === undefined ? isNameWellFormed(name) : named.isNameWellFormed;
    this.isWellFormed = this.isNameWellFormed && isValueWellFormed(value);
    this.bytes = name.length + value.length + FIELD_OVERHEAD_BYTES;
  }
}
