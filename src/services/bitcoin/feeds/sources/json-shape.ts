// Checks parsed JSON part by part, so that a parser reads like the shape it expects. Every check throws an Error that explains what is
// wrong without quoting the input.

export function asObject(json: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new Error(`${what} is not an object`);
  }
  return json as Readonly<Record<string, unknown>>;
}

/** A JSON array of at most `lengthMax` elements. */
export function asList(json: unknown, what: string, lengthMax: number): readonly unknown[] {
  if (!Array.isArray(json)) {
    throw new Error(`${what} is not a list`);
  }
  if (json.length > lengthMax) {
    throw new Error(`${what} has more than ${lengthMax} elements`);
  }
  return json;
}

/** A finite JSON number. */
export function asNumber(json: unknown, what: string): number {
  if (typeof json !== "number" || !Number.isFinite(json)) {
    throw new Error(`${what} is not a number`);
  }
  return json;
}

/** A finite number written as a decimal string, such as `"101234.50"`. */
export function asDecimalText(json: unknown, what: string): number {
  if (typeof json !== "string" || !/^\d{1,20}(\.\d{1,20})?$/.test(json)) {
    throw new Error(`${what} is not a decimal number in a string`);
  }
  return Number(json);
}
