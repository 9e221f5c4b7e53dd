// What generators of clients get wrong, and the documents therefore avoid. test/system/interop/openapi generates and calls such clients.
import { expect, test } from "vitest";
import { DOCUMENT, OPERATORS_DOCUMENT } from "../fixtures/openapi-document.ts";

type Finds = (schema: Readonly<Record<string, unknown>>) => boolean;

// The paths of all objects in a document for which this holds.
const found = (value: unknown, finds: Finds, at = ""): readonly string[] =>
  typeof value !== "object" || value === null
    ? []
    : [
        ...(finds(value as Readonly<Record<string, unknown>>) ? [at] : []),
        ...Object.entries(value).flatMap(([key, member]) => found(member, finds, `${at}/${key}`)),
      ];

const GIVES_CHOICE: Finds = ({ in: place, schema }) =>
  place === "query" && typeof schema === "object" && schema !== null && ("anyOf" in schema || "oneOf" in schema);
const IS_FIXED_BOOLEAN: Finds = ({ type, ...rest }) => type === "boolean" && ("const" in rest || "enum" in rest);

test.each([
  ["a parameter of a query with a choice of types, which the Go client cannot write", GIVES_CHOICE],
  ["a boolean with a fixed value, which the Python client compares with a string", IS_FIXED_BOOLEAN],
])("the documents do not have %s", (_, finds) => {
  expect([DOCUMENT, OPERATORS_DOCUMENT].flatMap((document) => found(document, finds))).toEqual([]);
});

test("the document has a choice of types in bodies, and booleans, which the search would find", () => {
  expect(found(DOCUMENT, (schema) => "anyOf" in schema)).not.toEqual([]);
  expect(found(DOCUMENT, ({ type }) => type === "boolean")).not.toEqual([]);
});
