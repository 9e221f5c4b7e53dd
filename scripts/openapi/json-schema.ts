// What the parts of the document are made of.

/** A JSON Schema. */
export type Schema = Record<string, unknown>;

/** Whether a message is read or written: what must be there differs. */
export type Direction = "input" | "output";
