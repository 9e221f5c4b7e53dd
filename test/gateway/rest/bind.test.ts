import { describe, expect, test } from "vitest";
import { type BoundRequest, bound } from "./binding.ts";

const KNOWN = "; known names: name, country, country_code, limit, dice, reverse, filter";
const KNOWN_INSIDE = "; known names: name, size, inner, tag_names";

const rows = (table: readonly (readonly [BoundRequest, unknown])[]) =>
  table.map(([request, expected]) => [JSON.stringify(request), request, expected] as const);

describe("the input comes from the query, a body, or both", () => {
  test.each(
    rows([
      [{}, {}],
      [{ query: "name=jazz&limit=20" }, { name: "jazz", limit: 20 }],
      [{ json: { name: "jazz", limit: 20 } }, { name: "jazz", limit: 20 }],
      [{ form: "name=jazz&limit=20" }, { name: "jazz", limit: 20 }],
      [{ to: "POST /v1/search", json: { name: "jazz" } }, { name: "jazz" }],
      [{ to: "POST /v1/search", form: "name=jazz" }, { name: "jazz" }],
      [
        { to: "POST /v1/search", form: ' {"name":"jazz"}' },
        ["body is JSON, but its content-type is application/x-www-form-urlencoded: send content-type: application/json"],
      ],
      [{ to: "POST /v1/search", query: "name=jazz" }, { name: "jazz" }],
      [
        { to: "POST /v1/search", query: "limit=5&filter.name=a", json: { name: "jazz", filter: { size: 1 } } },
        { name: "jazz", limit: 5, filter: { name: "a", size: 1 } },
      ],
      [
        { query: "limit=5", form: "filter.size=1" },
        { limit: 5, filter: { size: 1 } },
      ],
      [{ json: {} }, {}],
      [{ json: " {} \n" }, {}],
      [{ bytes: new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]) }, {}],
      [{ bytes: new Uint8Array() }, {}],
      [{ query: "&&name=jazz&" }, { name: "jazz" }],
    ]),
  )("%s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("names are accepted in snake_case and in lowerCamelCase", () => {
  test.each(
    rows([
      [{ query: "country_code=DE" }, { country_code: "DE" }],
      [{ query: "countryCode=DE" }, { country_code: "DE" }],
      [{ form: "countryCode=DE" }, { country_code: "DE" }],
      [{ json: { countryCode: "DE" } }, { country_code: "DE" }],
      [{ query: "filter.tag_names=a&filter.tagNames=b" }, { filter: { tag_names: ["a", "b"] } }],
      [{ query: "filter.inner.inner.name=a" }, { filter: { inner: { inner: { name: "a" } } } }],
      [{ json: { filter: { inner: { tagNames: ["a"] } } } }, { filter: { inner: { tag_names: ["a"] } } }],
    ]),
  )("%s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("a query is decoded as forms are", () => {
  test.each(
    rows([
      [{ query: "name=a+b%20c%2Bd" }, { name: "a b c+d" }],
      [{ query: "n%61me=%E6%96%87" }, { name: "文" }],
      [{ query: "name=a=b=c" }, { name: "a=b=c" }],
      [{ query: "name=a%26b" }, { name: "a&b" }],
      [{ query: "filter%2Ename=a" }, { filter: { name: "a" } }],
      [{ form: "name=é" }, { name: "é" }],
      [{ query: "name=%ff" }, ["name must be percent-encoded UTF-8"]],
      [{ query: "name=%" }, ["name must be percent-encoded UTF-8"]],
      [
        { query: "name=%zz&limit=x" },
        ["name must be percent-encoded UTF-8", 'limit must be a whole number from -2147483648 to 2147483647, not "x"'],
      ],
      [{ query: "%ff=1" }, ["query has a parameter name that is not percent-encoded UTF-8"]],
      [{ query: "=1" }, ["query has a parameter without a name"]],
      [{ form: "=1&%ff" }, ["body has a parameter without a name", "body has a parameter name that is not percent-encoded UTF-8"]],
      [{ query: "dice=1&".repeat(1001) }, ["query must have at most 1000 parameters"]],
    ]),
  )("%.80s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("lists accept repeated parameters, commas, and both", () => {
  test.each(
    rows([
      [{ query: "dice=1&dice=5" }, { dice: [1, 5] }],
      [{ query: "dice=1,5" }, { dice: [1, 5] }],
      [{ query: "dice=1%2C5" }, { dice: [1, 5] }],
      [{ query: "dice=1,2&dice=3&dice=4,5" }, { dice: [1, 2, 3, 4, 5] }],
      [{ query: "filter.tag_names=a,b&filter.tag_names=c" }, { filter: { tag_names: ["a", "b", "c"] } }],
      [{ query: "dice[]=1&dice[]=5" }, { dice: [1, 5] }],
      [{ query: "dice%5B%5D=1,5&dice=6" }, { dice: [1, 5, 6] }],
      [{ form: "dice[]=1" }, { dice: [1] }],
      [{ form: "dice=1,5&dice=6" }, { dice: [1, 5, 6] }],
      [{ json: { dice: [1, "5"] } }, { dice: [1, 5] }],
      [{ query: "dice=" }, {}],
      [{ query: "dice=&dice=3" }, { dice: [3] }],
      [
        { query: "dice=1,x&dice=2&dice=,3.5" },
        [
          'dice[1] must be a whole number from -2147483648 to 2147483647, not "x"',
          'dice[3] must be a whole number from -2147483648 to 2147483647, not ""',
          'dice[4] must be a whole number from -2147483648 to 2147483647, not "3.5"',
        ],
      ],
      [
        { json: { dice: [1, 1.5, null, [2]] } },
        [
          "dice[1] must be a whole number from -2147483648 to 2147483647, not 1.5",
          "dice[2] must be a whole number from -2147483648 to 2147483647, not null",
          "dice[3] must be a whole number from -2147483648 to 2147483647, not an array",
        ],
      ],
      [{ json: { dice: "1,5" } }, ['dice must be an array, not "1,5"']],
      [{ json: { dice: 5 } }, ["dice must be an array, not 5"]],
      [{ query: "dice[x]=5" }, ["dice[x] is part of a list: give each value as dice=value"]],
      [{ query: "[]=1" }, ["query has a parameter without a name"]],
      [{ query: "[0]=1" }, ["query has a parameter without a name"]],
      [{ query: "name[]=x" }, ["name[] must be written as name, because it has only one value"]],
      [{ query: "name[x]=y" }, ["name[x] must be written as name, because it has only one value"]],
    ]),
  )("%s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("an empty string or null for a single value means that the value is not given", () => {
  test.each(
    rows([
      [{ query: "name=&limit=&country_code=&reverse=&filter.size=" }, {}],
      [{ query: "name&limit" }, {}],
      [{ form: "name=&limit=&country_code=&filter.name=" }, {}],
      [{ json: { limit: "", country_code: "" } }, {}],
      [{ json: { name: null, limit: null, dice: null, filter: null } }, {}],
      [{ json: { reverse: "", dice: "" } }, {}],
      [{ query: "name=", json: { name: "jazz" } }, { name: "jazz" }],
      [{ query: "limit=5", json: { limit: "" } }, { limit: 5 }],
      [{ query: "limit=5", json: { limit: null } }, { limit: 5 }],
      [{ json: { filter: {} } }, { filter: {} }],
    ]),
  )("%s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("each field may be given in only one place", () => {
  test.each(
    rows([
      [{ query: "limit=1&limit=1" }, ["limit is given twice"]],
      [{ query: "limit=1&limit=" }, ["limit is given twice"]],
      [{ query: "limit=&limit=1" }, ["limit is given twice"]],
      [{ query: "country_code=DE&countryCode=DE" }, ["country_code is given twice"]],
      [{ query: "filter.name=a&filter.name=b" }, ["filter.name is given twice"]],
      [{ form: "limit=1&limit=2" }, ["limit is given twice"]],
      [{ json: '{"limit":1,"limit":2}' }, ["limit is given twice"]],
      [{ json: '{"limit":null,"limit":2}' }, ["limit is given twice"]],
      [{ json: '{"country_code":"DE","countryCode":"DE"}' }, ["country_code is given twice"]],
      [{ json: '{"filter":{"inner":{"name":"a","name":"b"}}}' }, ["filter.inner.name is given twice"]],
      [{ json: '{"filter":{"name":"a"},"filter":{"size":1}}' }, ["filter is given twice"]],
      [{ json: '{"dice":[1],"dice":[2]}' }, ["dice is given twice"]],
      [{ query: "limit=1", json: { limit: 1 } }, ["limit is given in the query and in the body"]],
      [{ query: "limit=1", form: "limit=1" }, ["limit is given in the query and in the body"]],
      [{ query: "dice=1", json: { dice: [2] } }, ["dice is given in the query and in the body"]],
      [{ query: "filter.name=a", json: { filter: { name: "a" } } }, ["filter.name is given in the query and in the body"]],
      [{ to: "GET /v1/shelves/a/books/b", query: "shelf=c" }, ["shelf is given in the path and in the query"]],
      [{ to: "GET /v1/shelves/a/books/b", query: "book.name=c" }, ["book.name is given in the path and in the query"]],
      [{ to: "GET /v1/shelves/a/books/b", json: { book: { name: "c" } } }, ["book.name is given in the path and in the body"]],
      [
        { to: "GET /v1/shelves/a/books/b", json: { book: { pages: 3 } } },
        { shelf: "a", book: { name: "b", pages: 3 } },
      ],
      [
        { to: "GET /v1/shelves/a/books/b", query: "book.pages=3" },
        { shelf: "a", book: { name: "b", pages: 3 } },
      ],
    ]),
  )("%s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("an unknown name is refused with the nearest known one", () => {
  test.each(
    rows([
      [{ query: "contry=de" }, ['contry is an unknown parameter; did you mean "country"?']],
      [{ query: "coutnry=de" }, ['coutnry is an unknown parameter; did you mean "country"?']],
      [{ query: "Country=de" }, ['Country is an unknown parameter; did you mean "country"?']],
      [{ query: "CountryCode=de" }, ['CountryCode is an unknown parameter; did you mean "country_code"?']],
      [{ query: "lim=1" }, ['lim is an unknown parameter; did you mean "limit"?']],
      [{ query: "F=1" }, ['F is an unknown parameter; did you mean "filter"?']],
      // The beginning of two names.
      [{ query: "coun=de" }, [`coun is an unknown parameter${KNOWN}`]],
      [{ query: "xyzzy=1" }, [`xyzzy is an unknown parameter${KNOWN}`]],
      [{ query: "filter.nmae=1" }, ['filter.nmae is an unknown parameter; did you mean "filter.name"?']],
      [{ query: "fliter.name=1" }, ['fliter.name is an unknown parameter; did you mean "filter"?']],
      [{ query: "name.first=1" }, [`name.first is an unknown parameter${KNOWN}`]],
      [{ query: "filter..name=1" }, [`filter..name is an unknown parameter${KNOWN_INSIDE}`]],
      [
        { query: "__proto__=1&constructor=1&toString=1" },
        [`__proto__ is an unknown parameter${KNOWN}`, "constructor is an unknown parameter", "toString is an unknown parameter"],
      ],
      [{ form: "contry=de" }, ['contry is an unknown field; did you mean "country"?']],
      [{ json: { contry: "de" } }, ['contry is an unknown field; did you mean "country"?']],
      [{ json: { filter: { inner: { nam: 1 } } } }, ['filter.inner.nam is an unknown field; did you mean "filter.inner.name"?']],
      [{ json: '{"__proto__":{"name":"a"}}' }, [`__proto__ is an unknown field${KNOWN}`]],
      [{ json: { "filter.name": "a" } }, [`filter.name is an unknown field${KNOWN}`]],
      [{ query: `${"x".repeat(41)}=1` }, [`${"x".repeat(40)}… is an unknown parameter${KNOWN}`]],
      [{ query: "filter=a" }, ["filter is an object: set its fields, such as filter.name"]],
      [
        { query: `${"filter.inner".padEnd(600, ".inner")}.name=a` },
        [`${"filter.inner".padEnd(40, ".inner")}… is an unknown parameter${KNOWN_INSIDE}`],
      ],
    ]),
  )("%.80s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("an invalid body is refused, and the error says why", () => {
  test.each(
    rows([
      [{ json: '{"name":' }, ["body is not valid JSON: expected a value at line 1, column 9"]],
      [{ json: "{'name':1}" }, ["body is not valid JSON: expected a key in double quotes at line 1, column 2"]],
      [{ json: "name=jazz" }, ["body is not valid JSON: expected a value at line 1, column 1"]],
      [{ json: "[]" }, ["body must be a JSON object, not an array"]],
      [{ json: "null" }, ["body must be a JSON object, not null"]],
      [{ json: '"x"' }, ["body must be a JSON object, not a string"]],
      [{ json: "1" }, ["body must be a JSON object, not 1"]],
      [{ bytes: new Uint8Array([0x7b, 0xff, 0x7d]) }, ["body is not valid UTF-8"]],
      [{ json: { name: 5 } }, ["name must be a string, not 5"]],
      [{ json: { name: true } }, ["name must be a string, not true"]],
      [{ json: { name: {} } }, ["name must be a string, not an object"]],
      [{ json: { filter: "a" } }, ['filter must be an object, not "a"']],
      [{ json: { filter: [] } }, ["filter must be an object, not an array"]],
      [
        { json: { limit: "x".repeat(50) } },
        [`limit must be a whole number from -2147483648 to 2147483647, not "${"x".repeat(40)}…"`],
      ],
      [{ json: `{"filter":${'{"inner":'.repeat(64)}` }, ["body nests deeper than 64 levels"]],
      [{ to: "DELETE /v1/shelves/a", json: {} }, ["body is not accepted here: give the input in the query"]],
      [
        { to: "DELETE /v1/shelves/a", query: "name=b" },
        { shelf: "a", name: "b" },
      ],
    ]),
  )("%.80s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("if the body is one field, the query has the others", () => {
  const book = { to: "PUT /v1/shelves/s" };
  const tags = { to: "PATCH /v1/shelves/s/tags" };
  test.each(
    rows([
      [
        { ...book, json: { name: "b", tagNames: ["x"] }, query: "dry_run=true" },
        { shelf: "s", book: { name: "b", tag_names: ["x"] }, dry_run: true },
      ],
      [
        { ...book, form: "name=b&tag_names=x,y" },
        { shelf: "s", book: { name: "b", tag_names: ["x", "y"] } },
      ],
      [
        { ...book, query: "book.pages=3", json: { name: "b" } },
        { shelf: "s", book: { name: "b", pages: 3 } },
      ],
      [{ ...book }, { shelf: "s" }],
      [{ ...book, query: "book.name=a", json: { name: "b" } }, ["book.name is given in the query and in the body"]],
      [{ ...book, json: { nam: "b" } }, ['book.nam is an unknown field; did you mean "book.name"?']],
      [{ ...book, form: "nam=b" }, ['book.nam is an unknown field; did you mean "book.name"?']],
      [{ ...book, json: [] }, ["book must be an object, not an array"]],
      [
        { ...tags, json: ["x", "y"] },
        { shelf: "s", tag_names: ["x", "y"] },
      ],
      [{ ...tags, query: "tag_names=z", json: ["x"] }, ["tag_names is given in the query and in the body"]],
      [{ ...tags, form: "x" }, ["body must be JSON, because it is the value of the field tag_names"]],
      [
        { ...tags, form: "[]" },
        ["body is JSON, but its content-type is application/x-www-form-urlencoded: send content-type: application/json"],
      ],
      [{ ...tags, json: {} }, ["tag_names must be an array, not an object"]],
    ]),
  )("%s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

describe("a method that changes something accepts no query with its body, and the error does not repeat the query", () => {
  const shelf = { to: "POST /v1/shelves/s" };
  test.each(
    rows([
      [
        { ...shelf, json: { book: { name: "b" }, dry_run: true } },
        { shelf: "s", book: { name: "b" }, dry_run: true },
      ],
      [
        { ...shelf, form: "book.name=b" },
        { shelf: "s", book: { name: "b" } },
      ],
      [{ ...shelf, query: "&&" }, { shelf: "s" }],
      [{ ...shelf, query: "dry_run=secret" }, ["dry_run must be in the body"]],
      [{ ...shelf, query: "dryRun=secret" }, ["dry_run must be in the body"]],
      [{ ...shelf, query: "dry_run=" }, ["dry_run must be in the body"]],
      [{ ...shelf, query: "dry_run=true", json: { dry_run: true } }, ["dry_run must be in the body"]],
      [{ ...shelf, query: "dry_run=true", form: "dry_run=true" }, ["dry_run must be in the body"]],
      [
        { ...shelf, query: "book.name=secret&tag_names=secret&xyzzy=secret" },
        ["book.name must be in the body", "tag_names must be in the body", "xyzzy must be in the body"],
      ],
      [{ ...shelf, query: `${"x".repeat(41)}=secret` }, [`${"x".repeat(40)}… must be in the body`]],
      [{ ...shelf, query: "book.name=%ff" }, ["book.name must be percent-encoded UTF-8"]],
      [
        { ...shelf, query: "dry_run=secret", json: { nam: 1 } },
        ["dry_run must be in the body", "nam is an unknown field; known names: shelf, book, tag_names, dry_run"],
      ],
      [{ to: "POST /v1/echo", query: "stringValue=secret" }, ["string_value must be in the body"]],
      [{ to: "GET /v1/everything", query: "stringValue=a" }, { string_value: "a" }],
    ]),
  )("%s", (_, request, expected) => {
    expect(bound(request)).toEqual(expected);
  });
});

test("path variables are read like any other value", () => {
  expect(bound({ to: "GET /v1/echo/-5/TRUE/navy" })).toEqual({ int32_value: -5, bool_value: true, color: "COLOR_DARK_BLUE" });
  expect(bound({ to: "GET /v1/echo/5x/1/pink" })).toEqual([
    'int32_value must be a whole number from -2147483648 to 2147483647, not "5x"',
    'bool_value must be true or false, not "1"',
    'color must be one of red, dark_blue, navy, ultraviolet, not "pink"',
  ]);
});

test("all violations are reported at once, but at most twenty", () => {
  expect(bound({ query: "limit=x&contry=de&reverse=1" })).toHaveLength(3);
  expect(bound({ query: Array.from({ length: 50 }, (_, index) => `x${index}=1`).join("&") })).toHaveLength(20);
});
