// The types of the OpenAPI document's parts.

export type Schema = Record<string, unknown>;

/** Whether a message is read or written: the required fields differ. */
export type Direction = "input" | "output";
