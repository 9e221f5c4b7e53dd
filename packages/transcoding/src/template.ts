// Reads the path templates of google.api.http, such as `/v1/{name=shelves/*}/books:search`, into segments, variables and a verb.
// The grammar, from the comments of HttpRule:
// https://github.com/googleapis/googleapis/blob/5a90fbea68ce4a6e87c20d2df10df5ecd88299ff/google/api/http.proto
//
//     Template  = "/" Segments [ Verb ] ;
//     Segments  = Segment { "/" Segment } ;
//     Segment   = "*" | "**" | LITERAL | Variable ;
//     Variable  = "{" FieldPath [ "=" Segments ] "}" ;
//     FieldPath = IDENT { "." IDENT } ;
//     Verb      = ":" LITERAL ;
//
// A LITERAL is one or more of the characters that RFC 3986 allows in a path segment, except `*` and `:`, which have a meaning here.
// All other characters are percent-encoded. Only a verb may follow `**`. A variable cannot contain another variable.

/** One segment of a template: a fixed text, any single segment, or all remaining segments. */
export type Segment = { readonly kind: "literal"; readonly text: string } | { readonly kind: "*" } | { readonly kind: "**" };

/** A part of the path that becomes the value of a field. */
export interface Variable {
  /** The field's path in proto names: `book.name`. */
  readonly fieldPath: string;
  /** The index of its first segment. */
  readonly start: number;
  /** The index after its last segment; undefined if it takes all remaining segments, perhaps none. */
  readonly end: number | undefined;
  /**
   * Whether its pattern has more than one segment. If so, a `%2F` in the path stays encoded, so that it is not mistaken for a slash.
   */
  readonly multi: boolean;
}

export interface Template {
  /** The template as it was written. */
  readonly source: string;
  /** Literals are percent-decoded. */
  readonly segments: readonly Segment[];
  readonly variables: readonly Variable[];
  /** Percent-decoded, without its colon; empty if there is none. */
  readonly verb: string;
}

const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y;
// pchar of RFC 3986, section 3.3, without `*` and `:`.
const LITERAL = /(?:[A-Za-z0-9\-._~!$&'()+,;=@]|%[0-9A-Fa-f]{2})+/y;

/** Parses a template. Throws an Error that says what was expected, and at which column, counted from 1. */
export function parseTemplate(source: string): Template {
  return new TemplateParser(source).template();
}

class TemplateParser {
  readonly #source: string;
  readonly #segments: Segment[] = [];
  readonly #variables: Variable[] = [];
  #position = 0;

  constructor(source: string) {
    this.#source = source;
  }

  template(): Template {
    this.#expect("/");
    this.#parseSegments(false);
    const verb = this.#accept(":") ? this.#literal("a verb") : "";
    if (this.#position < this.#source.length) {
      throw this.#unexpected(verb === "" ? '"/", ":" or the end' : "the end");
    }
    return { source: this.#source, segments: this.#segments, variables: this.#variables, verb };
  }

  #parseSegments(insideVariable: boolean): void {
    do {
      if (this.#segments.at(-1)?.kind === "**") {
        throw this.#error("nothing but a verb may follow **");
      }
      this.#parseSegment(insideVariable);
    } while (this.#accept("/"));
  }

  #parseSegment(insideVariable: boolean): void {
    if (this.#accept("{")) {
      if (insideVariable) {
        throw this.#error("a variable cannot contain another variable", this.#position - 1);
      }
      this.#parseVariable();
    } else if (this.#accept("*")) {
      this.#segments.push({ kind: this.#accept("*") ? "**" : "*" });
    } else {
      this.#segments.push({ kind: "literal", text: this.#literal("a segment") });
    }
  }

  #parseVariable(): void {
    const column = this.#position;
    const start = this.#segments.length;
    const fieldPath = this.#fieldPath();
    if (this.#variables.some((variable) => variable.fieldPath === fieldPath)) {
      throw this.#error(`two variables bind ${fieldPath}`, column);
    }
    if (this.#accept("=")) {
      this.#parseSegments(true);
    } else {
      this.#segments.push({ kind: "*" });
    }
    if (!this.#accept("}")) {
      throw this.#unexpected('"}"');
    }
    const matchesRest = this.#segments.at(-1)?.kind === "**";
    const end = matchesRest ? undefined : this.#segments.length;
    this.#variables.push({ fieldPath, start, end, multi: matchesRest || this.#segments.length - start > 1 });
  }

  #fieldPath(): string {
    const names: string[] = [];
    do {
      const name = this.#take(IDENT);
      if (name === "") {
        throw this.#unexpected("a field name");
      }
      names.push(name);
    } while (this.#accept("."));
    return names.join(".");
  }

  #literal(what: string): string {
    const start = this.#position;
    const text = this.#take(LITERAL);
    if (text === "") {
      throw this.#unexpected(what);
    }
    try {
      return decodeURIComponent(text);
    } catch {
      throw this.#error("percent-encoding that is not UTF-8", start);
    }
  }

  #accept(character: string): boolean {
    if (this.#source[this.#position] !== character) {
      return false;
    }
    this.#position += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#accept(character)) {
      throw this.#unexpected(`"${character}"`);
    }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const text = pattern.exec(this.#source)?.[0] ?? "";
    this.#position += text.length;
    return text;
  }

  #unexpected(expected: string): Error {
    const found = this.#source[this.#position];
    return this.#error(`expected ${expected}, found ${found === undefined ? "the end" : JSON.stringify(found)}`);
  }

  #error(message: string, position = this.#position): Error {
    return new Error(`column ${position + 1}: ${message}`);
  }
}
