// The time in HTTP's format. https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
import type { Clock } from "../runtime/clock.ts";

/** The text of a `date` header. It is formatted at most once a second. */
export class HttpDate {
  readonly #clock: Pick<Clock, "nowMs">;
  #second = Number.NaN;
  #text = "";

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** Such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
  get text(): string {
    const second = Math.floor(this.#clock.nowMs() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toUTCString();
    }
    return this.#text;
  }
}
