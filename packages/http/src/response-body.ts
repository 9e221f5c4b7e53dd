// The body of a response: bytes, or text that is sent in UTF-8. Text that is joined from pieces comes with its length: to measure a
// joined string, V8 copies all of it, and it is copied again when it is sent. `Buffer` is imported by name because the global one
// is a getter, which is slower.
import { Buffer } from "node:buffer";

export type ResponseBody = Uint8Array | string | SizedText;

export interface SizedText {
  readonly text: string;
  /** Its length in UTF-8. */
  readonly bytes: number;
}

/** Measures a string. If it is joined from pieces, V8 turns it into one flat string. */
export const sized = (text: string): SizedText => ({ text, bytes: Buffer.byteLength(text) });

/** Joins strings by adding one after another. */
export class TextBuilder {
  text = "";
  bytes = 0;

  add({ text, bytes }: SizedText): void {
    this.text += text;
    this.bytes += bytes;
  }

  /** Adds a string in which each character is one byte. */
  addAscii(text: string): void {
    this.text += text;
    this.bytes += text.length;
  }
}

/** The bytes that are sent. */
export function bytesOf(body: ResponseBody): Uint8Array {
  return body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : body.text);
}
