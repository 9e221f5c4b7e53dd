import { toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compileRoutes } from "../../../src/gateway/rest/routes.ts";
import { EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";
import { violationsOf } from "./binding.ts";

const routes = compileRoutes(LibraryService.methods);

const names = EverythingSchema.fields.flatMap(({ name, jsonName }) => [name, jsonName]);
const name = fc.oneof(
  fc.constantFrom(...names),
  fc.constantFrom("__proto__", "constructor", "toString", "", "[", "]", ".", "a[b", "x]"),
);
const path = fc
  .tuple(
    fc.array(fc.constantFrom("nested", "leafMap", "choice_leaf", "struct", "x"), { maxLength: 3 }),
    name,
    fc.constantFrom("", "[a]", "[]", "[__proto__]", "."),
  )
  .map(([steps, last, end]) => [...steps, last].join(".") + end);
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "1",
    "-1",
    "true",
    "red",
    "NaN",
    "1e999",
    "{}",
    "[",
    "null",
    "2026-01-31T12:00:00Z",
    "1s",
    "%",
    "%ff",
    "+",
    ",",
    "AA==",
  ),
  fc.json(),
);
const query = fc
  .array(fc.tuple(path, text, fc.boolean()), { maxLength: 8 })
  .map((pairs) =>
    pairs.map(([key, value, encode]) => `${key}=${encode ? encodeURIComponent(value.toWellFormed()) : value}`).join("&"),
  );
const body = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  query.map((form) => new TextEncoder().encode(form)),
  fc.dictionary(name, fc.jsonValue(), { maxKeys: 5 }).map((value) => new TextEncoder().encode(JSON.stringify(value))),
  fc
    .array(fc.tuple(name, fc.json()), { maxLength: 5 })
    .map((members) => new TextEncoder().encode(`{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`)),
);
const route = fc.constantFrom(
  "POST /v1/echo",
  "GET /v1/everything",
  "GET /v1/echo/1/true/red",
  "GET /v1/search",
  "PUT /v1/shelves/s",
  "PATCH /v1/shelves/s/tags",
);

test("whatever is sent, the response is a message or a bounded list of violations", () => {
  const outcomes = { bound: 0, refused: 0 };
  fc.assert(
    fc.property(
      route,
      query,
      fc.option(body, { nil: undefined }),
      fc.constantFrom("json" as const, "form" as const),
      (to, sent, bytes, bodyType) => {
        const [method = "", rawPath = ""] = to.split(" ");
        const match = routes.match(method, rawPath);
        if (match.kind !== "route") {
          throw new Error(match.kind);
        }
        let violations: string[] = [];
        try {
          const message = match.route.bind({ pathValues: match.pathValues, query: sent, body: bytes, bodyType });
          // A message with a wrong value inside could not be serialized.
          expect(toBinary(match.route.rpc.input, message)).toBeInstanceOf(Uint8Array);
          outcomes.bound += 1;
        } catch (error) {
          violations = violationsOf(error);
          outcomes.refused += 1;
        }
        expect(violations.length).toBeLessThanOrEqual(20);
        for (const violation of violations) {
          expect(violation.length).toBeLessThan(600);
          expect(violation.isWellFormed()).toBe(true);
        }
        expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
      },
    ),
    { numRuns: 3000 },
  );
  expect(Math.min(outcomes.bound, outcomes.refused)).toBeGreaterThan(0);
});

test("whatever path is requested, the match is one of the four kinds", () => {
  const segment = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("v1", "files", "shelves", "books", "%2F", "%", "a:b", ":", "**", ""),
  );
  fc.assert(
    fc.property(fc.constantFrom("GET", "POST", "X"), fc.array(segment, { maxLength: 8 }), (method, segments) => {
      expect(["route", "method-not-allowed", "unknown", "malformed"]).toContain(
        routes.match(method, `/${segments.join("/")}`).kind,
      );
    }),
    { numRuns: 3000 },
  );
});
