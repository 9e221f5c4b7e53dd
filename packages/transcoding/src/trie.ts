// A tree of path templates. Finds the template that matches a path; the most specific one if several do.
import type { Segment } from "./template.ts";

/** The values for paths that end here: verb → HTTP method → value. */
type Ends<Value> = Map<string, Map<string, Value>>;

/**
 * A node. A path continues with its next segment in `literals`, or with `any`. `rest` is for templates in which `**` takes all
 * remaining segments.
 */
export interface TrieNode<Value> {
  readonly literals: Map<string, TrieNode<Value>>;
  any: TrieNode<Value> | undefined;
  readonly ends: Ends<Value>;
  readonly rest: Ends<Value>;
}

/** What to look for, besides the path. */
export interface Wanted {
  /** Empty if the path has none. */
  readonly verb: string;
  readonly httpMethod: string;
  /** Collects the HTTP methods of templates that match the path with another HTTP method. */
  readonly allowed: Set<string>;
}

export function emptyTrie<Value>(): TrieNode<Value> {
  return { literals: new Map(), any: undefined, ends: new Map(), rest: new Map() };
}

/** Inserts a value for segments, verb and HTTP method. If there already is one, returns it and changes nothing. */
export function insert<Value>(
  root: TrieNode<Value>,
  segments: readonly Segment[],
  verb: string,
  httpMethod: string,
  value: Value,
): Value | undefined {
  let node = root;
  let ends = root.ends;
  for (const segment of segments) {
    if (segment.kind === "**") {
      ends = node.rest;
    } else {
      node = step(node, segment.kind === "*" ? undefined : segment.text);
      ends = node.ends;
    }
  }
  let byMethod = ends.get(verb);
  if (byMethod === undefined) {
    byMethod = new Map();
    ends.set(verb, byMethod);
  }
  const same = byMethod.get(httpMethod);
  if (same === undefined) {
    byMethod.set(httpMethod, value);
  }
  return same;
}

function step<Value>(node: TrieNode<Value>, literal: string | undefined): TrieNode<Value> {
  const known = literal === undefined ? node.any : node.literals.get(literal);
  if (known !== undefined) {
    return known;
  }
  const created = emptyTrie<Value>();
  if (literal === undefined) {
    node.any = created;
  } else {
    node.literals.set(literal, created);
  }
  return created;
}

/**
 * The value for the segments from `index` on. A literal is tried first, then `any`, then `rest`. Each node is at one depth of the
 * path, so it is visited at most once, and the recursion is as deep as the longest template, however long the path. An empty
 * segment does not match `any`: `/a/` does not match a template with one segment after `a`.
 */
export function find<Value>(node: TrieNode<Value>, segments: readonly string[], index: number, wanted: Wanted): Value | undefined {
  const segment = segments[index];
  if (segment === undefined) {
    return pick(node.ends, wanted) ?? pick(node.rest, wanted);
  }
  const literal = node.literals.get(segment);
  return (
    (literal === undefined ? undefined : find(literal, segments, index + 1, wanted)) ??
    (node.any === undefined || segment === "" ? undefined : find(node.any, segments, index + 1, wanted)) ??
    pick(node.rest, wanted)
  );
}

function pick<Value>(ends: Ends<Value>, { verb, httpMethod, allowed }: Wanted): Value | undefined {
  const byMethod = ends.get(verb);
  if (byMethod === undefined) {
    return undefined;
  }
  // A GET route also serves HEAD: https://www.rfc-editor.org/rfc/rfc9110#section-9.3.2
  const asGet = httpMethod === "HEAD" ? byMethod.get("GET") : undefined;
  const value = byMethod.get(httpMethod) ?? asGet ?? byMethod.get("*");
  if (value === undefined) {
    for (const method of byMethod.keys()) {
      allowed.add(method);
    }
    if (byMethod.has("GET")) {
      allowed.add("HEAD");
    }
  }
  return value;
}
