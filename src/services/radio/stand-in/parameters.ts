// Reads query parameters by the radio directory's rules, which are lenient in some places and harsh in others. Pure.

/** What a query asks for. */
export class Parameters {
  readonly #query: URLSearchParams;

  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  /** Undefined where it is not given. Of a name given twice, the first counts. */
  text(name: string): string | undefined {
    return this.#query.get(name) ?? undefined;
  }

  /** What cannot be read as an unsigned number of 32 bits silently means the fallback. */
  count(name: string, fallback: number): number {
    return countOf(this.text(name) ?? "", fallback);
  }

  /** Anything but `true` silently means false. */
  flag(name: string): boolean {
    return this.text(name) === "true";
  }

  /** Undefined where it is not given. Throws an Error where it is neither `true` nor `false`. */
  optionalFlag(name: string): boolean | undefined {
    const text = this.text(name);
    if (text !== undefined && text !== "true" && text !== "false") {
      throw new Error(`could not parse ${name}`);
    }
    return text === undefined ? undefined : text === "true";
  }
}

/** The unsigned number of 32 bits that the text is, or the fallback. */
export function countOf(text: string, fallback: number): number {
  return /^\+?\d{1,10}$/.test(text) && Number(text) <= 0xffff_ffff ? Number(text) : fallback;
}
