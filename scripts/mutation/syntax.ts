// The syntax tree of a TypeScript source, as far as faults and assertions need it, and insertions into it.
import { parseSync } from "rolldown/utils";

/** Any node; its other fields depend on `type`. Offsets are in UTF-16 units. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Text inserted at an offset. At the same offset, text that ends an earlier node comes first. */
export interface Insertion {
  readonly at: number;
  readonly ends: boolean;
  readonly text: string;
}

/** Throws an error if the source is not TypeScript. */
export function parse(path: string, source: string): Node {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) {
    throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  }
  return program as unknown as Node;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Node).type === "string" &&
  typeof (value as Node).start === "number";

/** In the order of the source. */
export function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .toSorted((a, b) => a.start - b.start);
}

export function withInsertions(source: string, insertions: readonly Insertion[]): string {
  const ordered = insertions.toSorted((a, b) => a.at - b.at || Number(b.ends) - Number(a.ends));
  let text = "";
  let at = 0;
  for (const insertion of ordered) {
    text += source.slice(at, insertion.at) + insertion.text;
    at = insertion.at;
  }
  return text + source.slice(at);
}

/** The line of an offset; the first is 1. */
export const lineAt = (source: string, offset: number): number => source.slice(0, offset).split("\n").length;
