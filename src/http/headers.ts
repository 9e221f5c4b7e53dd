// Headers as the transport hands them on and takes them: plain records, with names in lower case.

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
