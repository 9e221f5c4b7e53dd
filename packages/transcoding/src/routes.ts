// Compiles the HTTP rules of all methods, and finds the one for a request's HTTP method and path. Rules that contradict each
// other, or their messages, are found at compile time and prevent the server from starting.
import type { DescMethod } from "@bufbuild/protobuf";
import { type Bind, compileBind } from "./bind.ts";
import type { IsUnixSeconds } from "./field-requirement.ts";
import { type Rule, ruleName, rulesOf } from "./rule.ts";
import type { Template, Variable } from "./template.ts";
import { emptyTrie, find, insert, type TrieNode } from "./trie.ts";

/** A compiled route: one HTTP method and path of one RPC. */
export interface Route {
  readonly rpc: DescMethod;
  /** In upper case, or `*` for every method without its own route on the path. */
  readonly httpMethod: string;
  readonly template: Template;
  /** The name of the output field that is the body of the response; empty for the whole output. */
  readonly responseBody: string;
  readonly bind: Bind;
}

/** The result for a request's HTTP method and path. */
export type Match<Own = unknown> =
  | { readonly kind: "route"; readonly route: Route & Own; readonly pathValues: readonly string[] }
  /** The path only has other HTTP methods: `allowed`, in alphabetical order. */
  | { readonly kind: "method-not-allowed"; readonly allowed: readonly string[] }
  /** No route has such a path. */
  | { readonly kind: "unknown" }
  /** The path has malformed percent-encoding, is not UTF-8, or has characters that must be percent-encoded. */
  | { readonly kind: "malformed" };

interface RouteRow {
  readonly httpMethod: string;
  readonly template: string;
  /** `quintet.farkle.v1.FarkleService/Score` */
  readonly rpc: string;
  /** `quintet.farkle.v1.FarkleService` */
  readonly service: string;
}

export interface Routes<Own = unknown> {
  /** Finds the route. `rawPath` is the path as sent, without the query. HEAD finds the GET route. */
  match(httpMethod: string, rawPath: string): Match<Own>;
  /** In the order in which their methods are declared. */
  readonly rows: readonly RouteRow[];
}

interface CompileRoutesOptions<Own> {
  /** Which fields are numbers of Unix seconds; none by default. */
  readonly isUnixSeconds?: IsUnixSeconds;
  /** Makes what a route has besides, from its rule. What it throws is an error of the rule. */
  readonly compile?: (rule: Rule) => Own;
}

/**
 * Compiles the HTTP rules of the methods. Methods without a rule are skipped. Throws an Error that names the first invalid rule.
 */
export function compileRoutes<Own extends object = object>(
  methods: Iterable<DescMethod>,
  { isUnixSeconds, compile }: CompileRoutesOptions<Own> = {},
): Routes<Own> {
  const root = emptyTrie<Route & Own>();
  const rows: RouteRow[] = [];
  const templates: Template[] = [];
  for (const method of methods) {
    for (const rule of rulesOf(method)) {
      const { rpc, httpMethod, template } = rule;
      const route = namingRule(rule, () => ({ ...routeOf(rule, isUnixSeconds), ...(compile?.(rule) as Own) }));
      const same = insert(root, template.segments, template.verb, httpMethod, route);
      if (same !== undefined) {
        const [own, other] = [ruleName(rpc, httpMethod, template.source), ruleName(same.rpc, httpMethod, same.template.source)];
        throw new Error(`${own}: matches the same paths as ${other}`);
      }
      templates.push(template);
      rows.push({ httpMethod, template: template.source, rpc: `${rpc.parent.typeName}/${rpc.name}`, service: rpc.parent.typeName });
    }
  }
  const literals = literalMatches(root, rows);
  const segmentsMax = segmentsToCompare(templates);
  return {
    match: (httpMethod, rawPath) => literals.get(rawPath)?.get(httpMethod) ?? match(root, httpMethod, rawPath, segmentsMax),
    rows,
  };
}

function routeOf(rule: Rule, isUnixSeconds: IsUnixSeconds | undefined): Route {
  const { rpc, httpMethod, template, responseBody } = rule;
  if (responseBody !== "" && !rpc.output.fields.some(({ name }) => name === responseBody)) {
    throw new Error(`${rpc.output.typeName} has no field ${responseBody}`);
  }
  return { rpc, httpMethod, template, responseBody, bind: compileBind(rule, isUnixSeconds) };
}

function namingRule<Result>({ rpc, httpMethod, template }: Rule, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new Error(`${ruleName(rpc, httpMethod, template.source)}: ${(error as Error).message}`, { cause: error });
  }
}

// The results for paths that a template contains literally, by HTTP method: most calls then need only two map lookups.
function literalMatches<Own>(
  root: TrieNode<Route & Own>,
  rows: readonly RouteRow[],
): ReadonlyMap<string, ReadonlyMap<string, Match<Own>>> {
  const matches = new Map<string, Map<string, Match<Own>>>();
  for (const { httpMethod, template } of rows) {
    if (httpMethod !== "*" && LITERAL_TEMPLATE.test(template)) {
      const byMethod = matches.get(template) ?? new Map<string, Match<Own>>();
      matches.set(template, byMethod.set(httpMethod, match(root, httpMethod, template, Number.POSITIVE_INFINITY)));
    }
  }
  return matches;
}

// How many path segments to look at: one more than the longest template has, to detect paths that are too long; all of them if a template
// ends in `**`. The path of an unknown caller may have thousands.
function segmentsToCompare(templates: readonly Template[]): number {
  const counts = templates.map(({ segments }) =>
    segments.some(({ kind }) => kind === "**") ? Number.POSITIVE_INFINITY : segments.length,
  );
  return 1 + Math.max(0, ...counts);
}

function match<Own>(root: TrieNode<Route & Own>, httpMethod: string, rawPath: string, segmentsMax: number): Match<Own> {
  if (!rawPath.startsWith("/")) {
    return { kind: "unknown" };
  }
  const isPlain = PLAIN_PATH.test(rawPath);
  if (!isPlain && !isDecodable(rawPath)) {
    return { kind: "malformed" };
  }
  // Split before decoding, because an encoded slash or colon is data.
  const raw = rawPath.slice(1).split("/", segmentsMax === Number.POSITIVE_INFINITY ? undefined : segmentsMax);
  const decoded = isPlain ? raw : raw.map(decodeURIComponent);
  const allowed = new Set<string>();
  // Text after a colon is a verb only if a rule has that verb. Otherwise the colon belongs to the last segment.
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

// A template that matches only itself.
const LITERAL_TEMPLATE = /^[a-z0-9/_.-]+$/i;
// Visible ASCII without a percent sign: nothing to decode.
const PLAIN_PATH = /^[!-$&-~]*$/;
const ENCODED_PATH = /^[!-~]*$/;

// Checks the whole path at once: a percent-encoded character cannot contain a slash.
function isDecodable(rawPath: string): boolean {
  try {
    return ENCODED_PATH.test(rawPath) && decodeURIComponent(rawPath) !== "";
  } catch {
    return false;
  }
}

function pathValue({ start, end, multi }: Variable, raw: readonly string[]): string {
  if (!multi) {
    return decodeURIComponent(raw[start] ?? "");
  }
  return raw.slice(start, end).map(decodeExceptSlashes).join("/");
}

// An encoded slash stays encoded, in upper case: decoded, it would look like a separator.
function decodeExceptSlashes(raw: string): string {
  return raw
    .split(/%2f/i)
    .map((part) => decodeURIComponent(part))
    .join("%2F");
}
