// A body of announced length. https://www.rfc-editor.org/rfc/rfc9112#section-6.2
import type { BodyFraming } from "./body-framing.ts";

export class LengthBody implements BodyFraming {
  // Any bytes are valid.
  readonly fault = undefined;
  #bytesLeft: number;

  constructor(bytes: number) {
    this.#bytesLeft = bytes;
  }

  get isComplete(): boolean {
    return this.#bytesLeft === 0;
  }

  endsWithin(bytes: number): boolean {
    return this.#bytesLeft <= bytes;
  }

  take(bytes: Buffer, from: number, onPiece: (piece: Buffer) => void): number {
    const end = Math.min(bytes.length, from + this.#bytesLeft);
    this.#bytesLeft -= end - from;
    if (end > from) {
      onPiece(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end));
    }
    return end;
  }
}
