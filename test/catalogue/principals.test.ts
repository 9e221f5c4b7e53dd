import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkPrincipals, isSpiffeId, readPrincipals } from "../../src/catalogue/principals.ts";
import { ROOT } from "../fixtures/root.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

const ID = "spiffe://example.org/shop";
const good = { identities: [ID], plans: { farkle: "free" } };
const faultsOf = (json: unknown): readonly string[] => checkPrincipals(json).faults;

test("a file of mesh principals is read", () => {
  const path = join(temporaryDirectory(), "principals.json");
  const identities = [ID, "spiffe://example.org/ns/batch/*", "spiffe://test.example/*", "shop.svc.cluster.local", "localhost"];
  writeFileSync(path, JSON.stringify({ shop: { identities, plans: { farkle: "free", radio: "free" } } }));
  expect(readPrincipals(path)).toEqual({
    principals: [{ name: "shop", identities, plans: { farkle: "free", radio: "free" } }],
    faults: [],
  });
});

test("the file that docs/mesh.md shows is valid", () => {
  const page = readFileSync(join(ROOT, "docs/mesh.md"), "utf8");
  const [, shown = ""] = /^```json5\n(.*?)^```$/ms.exec(page) ?? [];
  const { principals, faults } = checkPrincipals(JSON.parse(shown));
  expect([principals.map(({ name }) => name), faults]).toEqual([["checkout", "batch"], []]);
});

describe("a faulty file of mesh principals has an exact error", () => {
  const identity = (written: string): string =>
    `principal "shop": identities must contain SPIFFE IDs such as spiffe://example.org/ns/shop/sa/checkout, SPIFFE IDs that end with /* to match everything below, or DNS names in lower case; ${written} is none of these`;

  test.for<[json: unknown, faults: readonly string[]]>([
    [[], ["must be an object with at most 1000 principals, keyed by name"]],
    [null, ["must be an object with at most 1000 principals, keyed by name"]],
    [
      { Shop: good },
      [
        'principal "Shop": its name must be 1 to 48 lower-case letters, digits, dots, dashes or underscores, and begin and end with a letter or digit',
      ],
    ],
    [
      { shop: "free" },
      ['principal "shop": must be an object such as {"identities": ["spiffe://example.org/shop"], "plans": {"farkle": "free"}}'],
    ],
    [
      { shop: { ...good, plan: "free" } },
      ['principal "shop": plan is not a field of a principal; the fields are identities and plans'],
    ],
    [{ shop: { ...good, identities: [] } }, ['principal "shop": identities must be a list of 1 to 100 identities']],
    [{ shop: { ...good, identities: ID } }, ['principal "shop": identities must be a list of 1 to 100 identities']],
    ...[
      "spiffe://Example.org/shop",
      "spiffe://example.org",
      "spiffe://example.org/",
      "spiffe://example.org/shop/",
      "spiffe://example.org//shop",
      "spiffe://example.org/../shop",
      "spiffe://example.org/shop*",
      "spiffe://*/shop",
      "spiffe://*",
      "https://example.org/shop",
      "*.example.org",
      "Shop.example.org",
      "shop.example.org.",
      "",
    ].map((text): [unknown, readonly string[]] => [{ shop: { ...good, identities: [text] } }, [identity(JSON.stringify(text))]]),
    [{ shop: { ...good, identities: [7] } }, [identity("7")]],
    [{ shop: { ...good, identities: [ID, ID] } }, [`principal "shop": identities contains ${ID} twice`]],
    [{ shop: good, till: good }, [`principal "till": identities contains ${ID}, which belongs to the principal shop`]],
    [
      { shop: { identities: [ID] } },
      [
        'principal "shop": plans must be an object with a plan for each service that the principal may call, such as {"farkle": "free"}',
      ],
    ],
    [
      { shop: { ...good, plans: { chess: "free" } } },
      ['principal "shop": plans: chess is not a service; the services are radio, token-price, token-list, bitcoin, farkle'],
    ],
    [{ shop: { ...good, plans: { farkle: 5 } } }, ['principal "shop": plans: farkle must have the name of a plan, such as "free"']],
  ])("%j", ([json, faults]) => {
    expect(faultsOf(json)).toEqual(faults);
  });

  test("if it cannot be read, or is not JSON", () => {
    const path = join(temporaryDirectory(), "principals.json");
    const missing = readPrincipals(path).faults;
    writeFileSync(path, "{");
    expect([missing, readPrincipals(path).faults]).toEqual([
      [expect.stringMatching(/^cannot be read: ENOENT/)],
      [expect.stringMatching(/^is not JSON: /)],
    ]);
  });
});

test.for<[text: string, isId: boolean]>([
  [ID, true],
  ["spiffe://a/b/C-1._x", true],
  ["spiffe://a", false],
  ["SPIFFE://a/b", false],
  ["spiffe://a/b?c", false],
  ["spiffe://a:80/b", false],
  ["spiffe://u@a/b", false],
  ["spiffe://a/b%2fc", false],
  ["spiffe://a/./b", false],
  ["spiffe://a/b/..", false],
  ["spiffe://a/...", true],
  [`spiffe://a/${"b".repeat(2040)}`, false],
])("%j is a SPIFFE ID: %j", ([text, isId]) => {
  expect(isSpiffeId(text)).toBe(isId);
});
