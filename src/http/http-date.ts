// The time as HTTP writes it. https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
import type { Clock } from "../runtime/clock.ts";

/** The time of a `date` header, which changes once a second. */
export class HttpDate {
  readonly #clock: Pick<Clock, "nowMs" | "after">;
  #text: string | undefined;

  constructor(clock: Pick<Clock, "nowMs" | "after">) {
    this.#clock = clock;
  }

  /** Such as `Sun, 06 Nov 1994 08:49:37 GMT`. Kept until its second is over: to ask the clock costs 50 ns. */
  get text(): string {
    if (this.#text === undefined) {
      const nowMs = this.#clock.nowMs();
      this.#text = new Date(nowMs).toUTCString();
      this.#clock.after(1000 - (nowMs % 1000), () => {
        this.#text = undefined;
      });
    }
    return this.#text;
  }
}
