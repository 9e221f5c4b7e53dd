// The calls that the proxies of deploy/ retry even if a node may have received them: those of the data services without side effects, by
// every path, and no others.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { rulesOf } from "@quintet/transcoding";
import { describe, expect, test } from "vitest";
import { rpcPath } from "../../../src/gateway/rpc/rpc-path.ts";
import { ACCOUNT_SERVICES, DATA_SERVICES, OPERATOR_SERVICES } from "../../fixtures/data-services.ts";

const read = (path: string): string => readFileSync(join(import.meta.dirname, "../../../deploy", path), "utf8");

const pathsOf = (method: DescMethod): readonly string[] => [
  rpcPath(method),
  ...new Set(rulesOf(method).map(({ template }) => template.source.replaceAll(/\{[^}]*\}/g, "x"))),
];

const isReading = ({ idempotency, parent }: DescMethod): boolean =>
  DATA_SERVICES.includes(parent) && idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;

const PATHS = [...DATA_SERVICES, ...ACCOUNT_SERVICES, ...OPERATOR_SERVICES]
  .flatMap(({ methods }) => methods)
  .flatMap((method) => pathsOf(method).map((path) => [path, isReading(method)] as const));

/** The routes of a file in the order in which they are tried: what a path has to match, and whether its calls are retried. */
type Routes = readonly { readonly matches: RegExp; readonly repeats: boolean }[];

// nginx tries regular expressions in their order before a plain prefix.
function routesOfNginx(): Routes {
  const blocks = [...read("nginx/nginx.conf").matchAll(/^ {4}location (~ )?(\S+) \{\n(.*?)^ {4}\}/gms)];
  return blocks.map(([, isRegex, pattern = "", body = ""]) => ({
    matches: isRegex === undefined ? /^/ : new RegExp(pattern),
    repeats: body.includes("non_idempotent"),
  }));
}

function routesOfEnvoy(): Routes {
  const [, routes = ""] = /\n +routes:\n(.*?)\n +http_filters:/s.exec(read("envoy/envoy.yaml")) ?? [];
  return routes
    .split("- match:")
    .slice(1)
    .map((route) => ({
      // A regular expression in Envoy matches the whole path.
      matches: new RegExp(`^(?:${/regex: '([^']+)'/.exec(route)?.[1] ?? ".*"})$`),
      repeats: /retry_on: \S*reset/.test(route),
    }));
}

describe.each([
  ["nginx", routesOfNginx(), 2],
  ["Envoy", routesOfEnvoy(), 3],
])("%s", (_, routes, count) => {
  test("has routes that can be read", () => {
    expect(routes).toHaveLength(count);
  });

  test.each(PATHS)("%s: repeated %s", (path, repeats) => {
    expect(routes.find(({ matches }) => matches.test(path))?.repeats).toBe(repeats);
  });
});
