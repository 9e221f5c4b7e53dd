// Headers as the transport hands them on and takes them: plain records, with names in lower case. And what a value may not contain.

/**
 * A request's headers. A name that came several times has its values in one, joined by commas, and cookies by semicolons; of those that can
 * have one value alone, such as `content-type`, it is the first.
 */
export interface RequestHeaders {
  readonly [name: string]: string | undefined;
}

/** An answer's headers or trailers. An array is sent as a header for each of its values; a name whose value is undefined is not sent. */
export interface ResponseHeaders {
  [name: string]: number | string | string[] | undefined;
}

// A field's value is made of visible letters, blanks, and octets above ASCII: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws a TypeError, which names the header, where its value cannot be sent. */
export function checkHeaderValue(name: string, value: string): void {
  if (NOT_IN_VALUES.test(value)) {
    throw new TypeError(`The header ${name} has a value that cannot be sent.`);
  }
}
