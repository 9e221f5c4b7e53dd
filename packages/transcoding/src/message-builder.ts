// Fills a message from several sources: path, query and body. It remembers which source gave each field, so that no field is given
// twice and nothing is silently overwritten.
import { create, type Message } from "@bufbuild/protobuf";
import { shortened } from "./echo.ts";
import type { Field, FieldTable } from "./fields.ts";
import { InvalidInput, type Violation } from "./invalid-input.ts";
import { setOwn } from "./plain-json.ts";

// Collects everything wrong with the input of one request, so that one response reports all of it. The number and length of
// violations are limited.

// More would not help the caller, and without a limit the response would grow with the request.
const VIOLATIONS_MAX = 20;
// A path consists of our own names and of keys that are already shortened. This limits the whole path.
const FIELD_CHARACTERS_MAX = 200;

export class Violations {
  // Both are created on first use: nearly all requests have none.
  #violations: Violation[] | undefined;
  #tablesWithUnknownName: Set<FieldTable> | undefined;

  /** True if further violations would be dropped, so that there is no need to compute them. */
  get full(): boolean {
    return this.#violations !== undefined && this.#violations.length >= VIOLATIONS_MAX;
  }

  /** Adds a violation, unless there are too many. `field` is a path in proto names. */
  add(field: string, description: string): void {
    if (!this.full) {
      this.#violations ??= [];
      this.#violations.push({ field: shortened(field, FIELD_CHARACTERS_MAX), description });
    }
  }

  /** Records that a table has no field with a given name. Returns true only the first time for each table. */
  noteUnknownName(table: FieldTable): boolean {
    this.#tablesWithUnknownName ??= new Set();
    const isFirst = !this.#tablesWithUnknownName.has(table);
    this.#tablesWithUnknownName.add(table);
    return isFirst;
  }

  /** Those added so far. */
  get found(): readonly Violation[] {
    return this.#violations ?? [];
  }

  /** Throws an InvalidInput if there are any. */
  throwIfAny(): void {
    if (this.#violations !== undefined) {
      throw new InvalidInput(this.#violations);
    }
  }
}

/** Where a value comes from. */
export type Source = "path" | "query" | "body";

// What is remembered about each field: its source, and whether the value was blank: an empty string or null.
const SOURCE_CODES: Readonly<Record<Source, number>> = { path: 1, query: 2, body: 3 };
const SOURCE_OF_CODE: readonly string[] = ["", "path", "query", "body"];
const SOURCE_MASK = 3;
const BLANK = 4;

/** A message being filled. Methods that may find a conflict return its description, or undefined if there is none. */
export class MessageBuilder {
  readonly table: FieldTable;
  readonly message: Message & Record<string, unknown>;
  readonly #parent: MessageBuilder | undefined;
  readonly #fieldOfParent: Field | undefined;
  // Indexed like the fields; empty for fields that were not given.
  readonly #owners: number[] = [];
  #attached = false;
  #children: Map<Field, MessageBuilder> | undefined;
  #choices: Map<string, Field> | undefined;

  /** With a parent, the message becomes the value of the parent's field as soon as something is put into it. */
  constructor(table: FieldTable, parent?: MessageBuilder, fieldOfParent?: Field) {
    this.table = table;
    this.message = create(table.desc) as Message & Record<string, unknown>;
    this.#parent = parent;
    this.#fieldOfParent = fieldOfParent;
  }

  /** The builder of a message field; the same one each time. */
  child(field: Field, table: FieldTable): MessageBuilder {
    this.#children ??= new Map();
    let child = this.#children.get(field);
    if (child === undefined) {
      child = new MessageBuilder(table, this, field);
      this.#children.set(field, child);
    }
    return child;
  }

  /**
   * Records that a source gives a field. It is a conflict if another source gave it before, or if the same source did and `repeat` is
   * false. A blank value does not conflict with another source.
   */
  claim(field: Field, source: Source, blank: boolean, repeat: boolean): string | undefined {
    const code = SOURCE_CODES[source];
    const owner = this.#owners[field.index] ?? 0;
    const ownerSource = owner & SOURCE_MASK;
    if (owner === 0 || (ownerSource !== code && (owner & BLANK) !== 0)) {
      this.#owners[field.index] = blank ? code | BLANK : code;
      return undefined;
    }
    if (ownerSource === code) {
      return repeat ? undefined : "is given twice";
    }
    return blank ? undefined : `is given in the ${SOURCE_OF_CODE[ownerSource]} and in the ${source}`;
  }

  /** Sets a field. It is a conflict if another member of its oneof is set, in this message or one around it. */
  put(field: Field, value: unknown): string | undefined {
    const conflict = this.attach() ?? this.#choose(field);
    if (conflict === undefined) {
      if (field.oneof === undefined) {
        this.message[field.localName] = value;
      } else {
        this.message[field.oneof] = { case: field.localName, value };
      }
    }
    return conflict;
  }

  append(field: Field, value: unknown): string | undefined {
    this.elements(field).push(value);
    return this.attach();
  }

  /** The elements of a list so far. */
  elements(field: Field): unknown[] {
    return this.message[field.localName] as unknown[];
  }

  /** Adds an entry to a map. It is a conflict if the key is already there. */
  enter(field: Field, key: string, value: unknown): string | undefined {
    const entries = this.message[field.localName] as Record<string, unknown>;
    if (Object.hasOwn(entries, key)) {
      return "is given twice";
    }
    setOwn(entries, key, value);
    return this.attach();
  }

  /** Makes the message the value of its parent's field, even if it is empty. */
  attach(): string | undefined {
    if (this.#attached || this.#parent === undefined || this.#fieldOfParent === undefined) {
      return undefined;
    }
    this.#attached = true;
    return this.#parent.put(this.#fieldOfParent, this.message);
  }

  #choose(field: Field): string | undefined {
    if (field.oneof === undefined) {
      return undefined;
    }
    this.#choices ??= new Map();
    const chosen = this.#choices.get(field.oneof) ?? field;
    this.#choices.set(field.oneof, chosen);
    return chosen === field ? undefined : `cannot be given together with ${chosen.name}`;
  }
}
