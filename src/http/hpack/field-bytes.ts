// Which bytes may be in a header's name and value over HTTP/2. https://www.rfc-editor.org/rfc/rfc9113#section-8.2.1

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

/** Whether the name is a lower-case token, optionally after a colon. Its characters are bytes. */
export function isNameWellFormed(name: string): boolean {
  const first = name.charCodeAt(0) === COLON ? 1 : 0;
  let common = TOKEN;
  for (let i = first; i < name.length; i++) {
    common &= CLASSES[name.charCodeAt(i)] as number;
  }
  return common !== 0 && name.length > first;
}

/**
 * Whether the value has no control characters except tabs, and neither begins nor ends with a space or a tab. Its characters are
 * bytes.
 */
export function isValueWellFormed(value: string): boolean {
  let common = VALUE;
  for (let i = 0; i < value.length; i++) {
    common &= CLASSES[value.charCodeAt(i)] as number;
  }
  return common !== 0 && !isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1));
}

// A missing character is NaN, which is neither.
const isBlank = (byte: number): boolean => byte === SPACE || byte === TAB;
