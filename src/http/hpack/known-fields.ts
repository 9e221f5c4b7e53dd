// Numbers for the headers that a server sends again and again. All connections share them, so that each has to remember no more than a small
// number for each header that stands in its table.

/** Names and whole headers together. A server sends far fewer; what comes beyond is not put into tables. */
const NUMBERED_MAX = 1024;

/** What is known of a name. */
interface KnownName {
  readonly id: number;
  /** The id of each header with this name, by its value. */
  readonly values: Map<string, number>;
}

/** Ids of names and of headers, from 0, in the order in which they were first asked for. */
export class KnownFields {
  readonly #names = new Map<string, KnownName>();
  #ids = 0;

  /** The id of a name; undefined where it has none. */
  idOfName(name: string): number | undefined {
    return this.#names.get(name)?.id;
  }

  /** The id of a header; undefined where it has none. */
  idOfField(name: string, value: string): number | undefined {
    return this.#names.get(name)?.values.get(value);
  }

  /** Gives an id to a name; undefined where there are too many. */
  addName(name: string): number | undefined {
    let known = this.#names.get(name);
    if (known === undefined && this.#ids < NUMBERED_MAX) {
      known = { id: this.#ids++, values: new Map() };
      this.#names.set(name, known);
    }
    return known?.id;
  }

  /** Gives ids to a header and to its name; undefined where there are too many. */
  add(name: string, value: string): { readonly nameId: number; readonly fieldId: number } | undefined {
    let known = this.#names.get(name);
    const fieldId = known?.values.get(value);
    if (known !== undefined && fieldId !== undefined) {
      return { nameId: known.id, fieldId };
    }
    if (this.#ids + 2 > NUMBERED_MAX) {
      return undefined;
    }
    if (known === undefined) {
      known = { id: this.#ids++, values: new Map() };
      this.#names.set(name, known);
    }
    const id = this.#ids++;
    known.values.set(value, id);
    return { nameId: known.id, fieldId: id };
  }
}
