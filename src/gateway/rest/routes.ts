// Compiles the HTTP rules of all methods, and finds the one that a request's HTTP method and path match. Rules that contradict each other, or
// their messages, are found when they are compiled: then the server does not start.
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { type Bind, compileBind } from "./bind.ts";
import { type Rule, ruleName, rulesOf } from "./rule.ts";
import { compileData, compileSuccess, type WriteSuccess } from "./success.ts";
import type { Template, Variable } from "./template.ts";
import { emptyTrie, find, insert, type TrieNode } from "./trie.ts";

/** One HTTP method and path of one RPC, compiled. */
export interface Route {
  readonly rpc: DescMethod;
  /** Upper case, or `*` for every method that has no route of its own on the path. */
  readonly httpMethod: string;
  readonly template: Template;
  /** Makes the input message. */
  readonly bind: Bind;
  /** Writes the body of an answer that succeeded. */
  readonly writeSuccess: WriteSuccess;
  /** Writes one message of a stream as JSON, in one line. */
  readonly writeData: (output: Message) => string;
}

/** What is found for a request's HTTP method and path. */
export type Match =
  | { readonly kind: "route"; readonly route: Route; readonly pathValues: readonly string[] }
  /** The path is known, but only with other HTTP methods: `allowed`, in alphabetical order. */
  | { readonly kind: "method-not-allowed"; readonly allowed: readonly string[] }
  /** No route has such a path. */
  | { readonly kind: "unknown" }
  /** The path has malformed percent-encoding, or is not UTF-8, or has characters that must be percent-encoded. */
  | { readonly kind: "malformed" };

/** One line of the list of routes. */
interface RouteRow {
  readonly httpMethod: string;
  readonly template: string;
  /** `quintet.farkle.v1.FarkleService/Score` */
  readonly rpc: string;
  /** `quintet.farkle.v1.FarkleService` */
  readonly service: string;
}

/** All routes. */
export interface Routes {
  /** Finds the route. `rawPath` is the path as sent, without the query. HEAD finds what GET does. */
  match(httpMethod: string, rawPath: string): Match;
  /** The routes in the order of their methods' declaration. */
  readonly rows: readonly RouteRow[];
}

/** Compiles the HTTP rules of the methods. Methods without a rule are skipped. Throws an Error that names the first rule that is wrong. */
export function compileRoutes(methods: Iterable<DescMethod>): Routes {
  const root = emptyTrie<Route>();
  const rows: RouteRow[] = [];
  for (const method of methods) {
    for (const rule of rulesOf(method)) {
      const { rpc, httpMethod, template } = rule;
      const same = insert(root, template.segments, template.verb, httpMethod, compileRoute(rule));
      if (same !== undefined) {
        const [own, other] = [ruleName(rpc, httpMethod, template.source), ruleName(same.rpc, httpMethod, same.template.source)];
        throw new Error(`${own}: matches the same paths as ${other}`);
      }
      rows.push({ httpMethod, template: template.source, rpc: `${rpc.parent.typeName}/${rpc.name}`, service: rpc.parent.typeName });
    }
  }
  const literals = literalMatches(root, rows);
  return { match: (httpMethod, rawPath) => literals.get(rawPath)?.get(httpMethod) ?? match(root, httpMethod, rawPath), rows };
}

// What is found for each path that a template gives literally, by HTTP method: most calls need no more than two look-ups in maps, 50 ns and not
// 400.
function literalMatches(root: TrieNode<Route>, rows: readonly RouteRow[]): ReadonlyMap<string, ReadonlyMap<string, Match>> {
  const matches = new Map<string, Map<string, Match>>();
  for (const { httpMethod, template } of rows) {
    if (httpMethod !== "*" && LITERAL_TEMPLATE.test(template)) {
      const byMethod = matches.get(template) ?? new Map<string, Match>();
      matches.set(template, byMethod.set(httpMethod, match(root, httpMethod, template)));
    }
  }
  return matches;
}

function compileRoute(rule: Rule): Route {
  const { rpc, httpMethod, template } = rule;
  try {
    const writers = { writeSuccess: compileSuccess(rule), writeData: compileData(rule) };
    return { rpc, httpMethod, template, bind: compileBind(rule), ...writers };
  } catch (error) {
    throw new Error(`${ruleName(rpc, httpMethod, template.source)}: ${(error as Error).message}`, { cause: error });
  }
}

function match(root: TrieNode<Route>, httpMethod: string, rawPath: string): Match {
  if (!rawPath.startsWith("/")) {
    return { kind: "unknown" };
  }
  // Split before it is decoded, because an encoded slash or colon is data.
  const raw = rawPath.slice(1).split("/");
  const decoded = PLAIN_PATH.test(rawPath) ? raw : decodeAll(raw);
  if (decoded === undefined) {
    return { kind: "malformed" };
  }
  const allowed = new Set<string>();
  // What follows a colon is a verb only where a rule has that verb. Otherwise the colon is part of the last segment.
  const last = raw.at(-1) ?? "";
  const colon = last.lastIndexOf(":");
  if (colon !== -1) {
    const rawBare = raw.with(-1, last.slice(0, colon));
    const bare = decoded.with(-1, decodeURIComponent(last.slice(0, colon)));
    const verb = decodeURIComponent(last.slice(colon + 1));
    const route = verb === "" ? undefined : find(root, bare, 0, { verb, httpMethod, allowed });
    if (route !== undefined) {
      return { kind: "route", route, pathValues: route.template.variables.map((variable) => pathValue(variable, rawBare)) };
    }
  }
  const route = find(root, decoded, 0, { verb: "", httpMethod, allowed });
  if (route !== undefined) {
    return { kind: "route", route, pathValues: route.template.variables.map((variable) => pathValue(variable, raw)) };
  }
  return allowed.size === 0 ? { kind: "unknown" } : { kind: "method-not-allowed", allowed: [...allowed].sort() };
}

// A template that is itself the one path that it matches.
const LITERAL_TEMPLATE = /^[a-z0-9/_.-]+$/i;
// Visible ASCII without a percent sign: nothing to decode.
const PLAIN_PATH = /^[!-$&-~]*$/;
const ENCODED_PATH = /^[!-~]*$/;

function decodeAll(raw: readonly string[]): string[] | undefined {
  try {
    return raw.every((segment) => ENCODED_PATH.test(segment)) ? raw.map(decodeURIComponent) : undefined;
  } catch {
    return undefined;
  }
}

function pathValue({ start, end, multi }: Variable, raw: readonly string[]): string {
  if (!multi) {
    return decodeURIComponent(raw[start] ?? "");
  }
  return raw.slice(start, end).map(decodeButSlashes).join("/");
}

// An encoded slash stays encoded, in upper case: decoded, it would look like one between segments.
function decodeButSlashes(raw: string): string {
  return raw
    .split(/%2f/i)
    .map((part) => decodeURIComponent(part))
    .join("%2F");
}
