// What the OpenAPI document says about its publisher, depending on what the operator has set.
import { expect, test } from "vitest";
import type { OperatorConfig } from "../../src/config/operator.ts";
import { servedOpenApi } from "../../src/workers/gateway-server.ts";
import { DOCUMENT } from "../fixtures/openapi-document.ts";

const UNNAMED: OperatorConfig = { name: undefined, address: undefined, supportContact: undefined, governingLaw: undefined };
const publicUrl = "https://api.example.com";
const termsOfService = `${publicUrl}/docs/terms`;
/** The characters that a publisher's facts may add. */
const ADDED_MAX = 200;
const servers = [{ url: publicUrl }];

const serve = (url: string | undefined, operator: Partial<OperatorConfig>): string | undefined =>
  servedOpenApi(JSON.stringify(DOCUMENT), { publicUrl: url, operator: { ...UNNAMED, ...operator } });

test.each<[set: string, url: string | undefined, operator: Partial<OperatorConfig>, info: object, rest: object]>([
  ["a public URL", publicUrl, {}, { termsOfService }, { servers }],
  ["a name", undefined, { name: "Example Ltd" }, { contact: { name: "Example Ltd" } }, {}],
  ["an address of mail", undefined, { supportContact: "help@example.com" }, { contact: { email: "help@example.com" } }, {}],
  ["a page", undefined, { supportContact: "https://example.com/help" }, { contact: { url: "https://example.com/help" } }, {}],
  [
    "all of it",
    publicUrl,
    { name: "Example Ltd", supportContact: "help@example.com" },
    { termsOfService, contact: { name: "Example Ltd", email: "help@example.com" } },
    { servers },
  ],
  ["a public URL and a telephone number", publicUrl, { supportContact: "+353 1 555 0100" }, { termsOfService }, { servers }],
])("with %s, the document says so and nothing else changes", (_set, url, operator, info, rest) => {
  const served = serve(url, operator) ?? "";
  expect(JSON.parse(served)).toEqual({ ...DOCUMENT, info: { ...DOCUMENT.info, ...info }, ...rest });
  expect(served.length).toBeLessThan(JSON.stringify(DOCUMENT).length + ADDED_MAX);
});

test.each<[set: string, operator: Partial<OperatorConfig>]>([
  ["nothing", {}],
  ["a telephone number alone", { supportContact: "+353 1 555 0100" }],
  ["two addresses of mail", { supportContact: "a@example.com, b@example.com" }],
  ["an address that no browser can open", { supportContact: "javascript:alert(1)" }],
])("with %s, it is served as it was generated", (_set, operator) => {
  expect(serve(undefined, operator)).toBeUndefined();
});

test("the license is the package's", () => {
  expect(DOCUMENT.info.license).toEqual({ name: "Apache-2.0", identifier: "Apache-2.0" });
});
