// Reads query parameters by the radio directory's rules, which are lenient in some places and strict in others. Pure.

export class Parameters {
  readonly #query: URLSearchParams;

  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  /** A parameter's text; undefined if it is not given. If it is given twice, the first counts. */
  text(name: string): string | undefined {
    return this.#query.get(name) ?? undefined;
  }

  /** A parameter as a number. Anything but an unsigned 32-bit number silently means the fallback. */
  count(name: string, fallback: number): number {
    return countOf(this.text(name) ?? "", fallback);
  }

  /** A parameter as a flag. Anything but `true` silently means false. */
  flag(name: string): boolean {
    return this.text(name) === "true";
  }

  /** A parameter as a flag; undefined if it is not given. Throws an Error if it is neither `true` nor `false`. */
  optionalFlag(name: string): boolean | undefined {
    const text = this.text(name);
    if (text !== undefined && text !== "true" && text !== "false") {
      throw new Error(`could not parse ${name}`);
    }
    return text === undefined ? undefined : text === "true";
  }
}

/** The text as an unsigned 32-bit number, or the fallback. */
export function countOf(text: string, fallback: number): number {
  return /^\+?\d{1,10}$/.test(text) && Number(text) <= 0xffff_ffff ? Number(text) : fallback;
}
