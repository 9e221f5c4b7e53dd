// Numbers the headers that a server sends repeatedly. All connections share the numbers, so each connection only stores a small
// number per header in its table.

/** The most names and whole headers that are numbered. A server sends far fewer; any more are kept out of tables. */
const NUMBERED_MAX = 1024;

interface KnownName {
  readonly id: number;
  /** The id of each header with this name, by value. */
  readonly values: Map<string, number>;
}

/** Ids of names and headers, from 0, in order of first use. */
export class KnownFields {
  readonly #names = new Map<string, KnownName>();
  #ids = 0;

  /** The id of a name; undefined if it has none. */
  idOfName(name: string): number | undefined {
    return this.#names.get(name)?.id;
  }

  /** The id of a header; undefined if it has none. */
  idOfField(name: string, value: string): number | undefined {
    return this.#names.get(name)?.values.get(value);
  }

  /** Assigns an id to a name; undefined if there are too many. */
  addName(name: string): number | undefined {
    let known = this.#names.get(name);
    if (known === undefined && this.#ids < NUMBERED_MAX) {
      known = { id: this.#ids++, values: new Map() };
      this.#names.set(name, known);
    }
    return known?.id;
  }

  /** Assigns ids to a header and its name; undefined if there are too many. */
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
