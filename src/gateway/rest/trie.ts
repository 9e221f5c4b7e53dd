// The tree of path templates: which of them a path fits, the most exact first.
import type { Segment } from "./template.ts";

/** Where a path may end: verb → HTTP method → what was inserted. */
type Ends<Value> = Map<string, Map<string, Value>>;

/** One node: a segment's literal text leads on, and so does any one segment; `rest` is where `**` takes all that is left, or nothing. */
export interface TrieNode<Value> {
  readonly literals: Map<string, TrieNode<Value>>;
  any: TrieNode<Value> | undefined;
  readonly ends: Ends<Value>;
  readonly rest: Ends<Value>;
}

/** What is looked for beside the path. */
export interface Wanted {
  /** Empty for none. */
  readonly verb: string;
  readonly httpMethod: string;
  /** Collects the HTTP methods of the templates that fit but for the method. */
  readonly allowed: Set<string>;
}

/** An empty tree. */
export function emptyTrie<Value>(): TrieNode<Value> {
  return { literals: new Map(), any: undefined, ends: new Map(), rest: new Map() };
}

/** Inserts a value under segments, verb and HTTP method. Returns the value that is there already, if one is, and leaves it. */
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
  const made = emptyTrie<Value>();
  if (literal === undefined) {
    node.any = made;
  } else {
    node.literals.set(literal, made);
  }
  return made;
}

/**
 * The value that fits, from `index` on: literal before any before rest, and back again where that leads nowhere. A node stands at one
 * depth of the path, so each is visited once at most, and the recursion is as deep as the longest template, however long the path.
 * An empty segment is no "any": `/a/` does not fit a template with one segment after `a`.
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
  // Who answers GET answers HEAD, in the same way: https://www.rfc-editor.org/rfc/rfc9110#section-9.3.2
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
