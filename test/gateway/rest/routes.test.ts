import { type Match, parseTemplate } from "@quintet/transcoding";
import { describe, expect, test } from "vitest";
import { emptyTrie, find, insert } from "../../../packages/transcoding/src/trie.ts";
import { compileRoutes, type Routes } from "../../../src/gateway/rest/routes.ts";
import { LibraryService } from "../../gen/quintet/testing/v1/library_pb.js";
import { RefusedService } from "../../gen/quintet/testing/v1/refused_pb.js";

const routes: Routes = compileRoutes(LibraryService.methods);

// A route as `GetBook /v1/{name} shelf|book`, and any other match by its kind.
function shown(match: Match): string {
  switch (match.kind) {
    case "route":
      return [match.route.rpc.name, match.route.template.source, match.pathValues.join("|")].join(" ").trimEnd();
    case "method-not-allowed":
      return `405 ${match.allowed.join(", ")}`;
    default:
      return match.kind;
  }
}

describe("a method and a path match a route, or the result says why not", () => {
  const book = "GetBook /v1/shelves/{shelf}/books/{book.name}";
  const read = "GetBook /v1/{name=shelves/*/books/*}:read";
  const files = "GetBook /v1/files/{name=**}";
  test.each([
    // Methods.
    ["GET", "/v1/search", "Search /v1/search"],
    ["POST", "/v1/search", "Search /v1/search"],
    ["DELETE", "/v1/search", "405 GET, HEAD, POST"],
    ["get", "/v1/search", "405 GET, HEAD, POST"],
    ["BREW", "/v1/echo", "Echo /v1/echo"],
    ["HEAD", "/v1/search", "Search /v1/search"],
    ["HEAD", "/v1/echo", "Echo /v1/echo"],
    ["HEAD", "/v1/shelves/a/books/b:read", `${read} shelves/a/books/b`],
    ["HEAD", "/v1/shelves/other", "405 DELETE, POST, PUT"],
    // Paths that almost match.
    ["GET", "/", "unknown"],
    ["GET", "", "unknown"],
    ["GET", "*", "unknown"],
    ["GET", "v1/search", "unknown"],
    ["GET", "/v1", "unknown"],
    ["GET", "/v1/searc", "unknown"],
    ["GET", "/v1/Search", "unknown"],
    ["GET", "/v1/search/", "unknown"],
    ["GET", "/v1/search/more", "unknown"],
    ["GET", "//v1/search", "unknown"],
    ["GET", "/v1//search", "unknown"],
    ["GET", "/v1/./search", "unknown"],
    // One segment: everything is decoded, and it is never empty.
    ["GET", "/v1/shelves/a/books/b", `${book} a|b`],
    ["GET", "/v1/shelves/a%2Fb/books/c%20d%2fe", `${book} a/b|c d/e`],
    ["GET", "/v1/shelves/%E6%96%87/books/%2A", `${book} 文|*`],
    ["GET", "/v1/shelves/a+b/books/c+d", `${book} a+b|c+d`],
    ["GET", "/v1/shelves//books/b", "unknown"],
    ["GET", "/v1/shelves/a/books/", "unknown"],
    // A literal matches in any encoding, but an encoded slash is not a separator.
    ["GET", "/v1/%73earch", "Search /v1/search"],
    ["GET", "/v1%2Fsearch", "unknown"],
    // Several segments: an encoded slash stays encoded.
    ["GET", "/v1/files/a/b/c", `${files} a/b/c`],
    ["GET", "/v1/files", files],
    ["GET", "/v1/files/", files],
    ["GET", "/v1/files/a//b/", `${files} a//b/`],
    ["GET", "/v1/files/a%2fb/%2A/%20%2F", `${files} a%2Fb/*/ %2F`],
    ["GET", "/v1/shelves/a%2Fb/books/c%2Fd:read", `${read} shelves/a%2Fb/books/c%2Fd`],
    // Verbs: after the last colon of the last segment, where a rule has that verb. Otherwise the colon is data.
    ["GET", "/v1/shelves/a/books/b:read", `${read} shelves/a/books/b`],
    ["GET", "/v1/shelves/a/books/b:r%65ad", `${read} shelves/a/books/b`],
    ["GET", "/v1/shelves/a/books/b%3Aread", `${book} a|b:read`],
    ["GET", "/v1/shelves/a/books/b:c:read", `${read} shelves/a/books/b:c`],
    ["GET", "/v1/shelves/a/books/b:burn", `${book} a|b:burn`],
    ["GET", "/v1/shelves/a/books/b:", `${book} a|b:`],
    ["GET", "/v1/shelves/a:read/books/b", `${book} a:read|b`],
    ["GET", "/v1/search:", "unknown"],
    ["GET", "/v1/search:read", "unknown"],
    ["POST", "/v1/shelves/a/books/b:read", "405 GET, HEAD"],
    ["GET", "/v1/files/a/b:open", "GetBook /v1/files/{name=**}:open a/b"],
    ["GET", "/v1/files/:open", "GetBook /v1/files/{name=**}:open"],
    ["GET", "/v1/files:open", "GetBook /v1/files/{name=**}:open"],
    ["GET", "/v1/files/a:open/b", `${files} a:open/b`],
    ["GET", "/v1/files/a:shut", `${files} a:shut`],
    // A literal is preferred to a variable, but only for its own HTTP methods.
    ["GET", "/v1/shelves/special", "GetSpecialShelf /v1/shelves/special"],
    ["REPORT", "/v1/shelves/special", "GetSpecialShelf /v1/shelves/special"],
    ["PUT", "/v1/shelves/special", "PutBook /v1/shelves/{shelf} special"],
    ["DELETE", "/v1/shelves/special", "DeleteBook /v1/shelves/{shelf} special"],
    ["PATCH", "/v1/shelves/special", "405 DELETE, GET, HEAD, POST, PUT, REPORT"],
    ["GET", "/v1/shelves/other", "405 DELETE, POST, PUT"],
    ["GET", "/v1/shelves/special/books/b", `${book} special|b`],
    ["PATCH", "/v1/shelves/special/tags", "PutBook /v1/shelves/{shelf}/tags special"],
    // Paths that are not percent-encoded UTF-8.
    ["GET", "/v1/shelves/%/books/b", "malformed"],
    ["GET", "/v1/shelves/%2/books/b", "malformed"],
    ["GET", "/v1/shelves/%zz/books/b", "malformed"],
    ["GET", "/v1/shelves/%ff/books/b", "malformed"],
    ["GET", "/v1/shelves/%ed%a0%80/books/b", "malformed"],
    ["GET", "/v1/shelves/\u00c3\u00a9/books/b", "malformed"],
    ["GET", "/v1/shelves/a b/books/b", "malformed"],
  ])("%s %s", (httpMethod, path, expected) => {
    expect(shown(routes.match(httpMethod, path))).toBe(expected);
  });

  test("every ASCII character arrives as itself when it is percent-encoded, except a slash in a variable of several segments", () => {
    for (let code = 0; code < 128; code++) {
      const encoded = `%${code.toString(16).padStart(2, "0")}`;
      const character = String.fromCharCode(code);
      expect(routes.match("GET", `/v1/shelves/${encoded}/books/b`)).toMatchObject({ kind: "route", pathValues: [character, "b"] });
      expect(routes.match("GET", `/v1/files/${encoded}/b`)).toMatchObject({
        kind: "route",
        pathValues: [`${character === "/" ? "%2F" : character}/b`],
      });
    }
  });

  test("a path of 10,000 segments is matched without a deep stack", () => {
    const long = "/a".repeat(10_000);
    expect(shown(routes.match("GET", `/v1/files${long}`))).toBe(`${files} ${long.slice(1)}`);
    expect(shown(routes.match("GET", `/v1/files${long}:open`))).toBe(`GetBook /v1/files/{name=**}:open ${long.slice(1)}`);
    expect(shown(routes.match("GET", `/v1/shelves${long}`))).toBe("unknown");
  });
});

describe("the most specific of the matching templates is found, however far the search has to go back", () => {
  const trie = emptyTrie<string>();
  const sources = [
    "/foo/bar/{name}/baz/{child}",
    "/foo/bar/baz/buzz",
    "/foo/{a}/baz/qux",
    "/foo/{rest=**}",
    "/foo/bar/{rest=**}",
    "/foo/{a}:go",
    "/foo/bar",
  ];
  for (const source of sources) {
    const { segments, verb } = parseTemplate(source);
    insert(trie, segments, verb, "GET", source);
  }

  test.each([
    ["foo/bar", "", "/foo/bar"],
    ["foo/bar/baz/buzz", "", "/foo/bar/baz/buzz"],
    ["foo/bar/baz/baz/buzz", "", "/foo/bar/{name}/baz/{child}"],
    ["foo/bar/baz/qux", "", "/foo/bar/{rest=**}"],
    ["foo/zip/baz/qux", "", "/foo/{a}/baz/qux"],
    ["foo/zip/baz", "", "/foo/{rest=**}"],
    ["foo/bar/x/baz", "", "/foo/bar/{rest=**}"],
    ["foo/bar", "go", "/foo/{a}:go"],
    ["foo/bar/baz", "go", undefined],
    ["foo", "", "/foo/{rest=**}"],
    ["fo", "", undefined],
  ])("/%s, verb %j", (path, verb, expected) => {
    const allowed = new Set<string>();
    expect(find(trie, path.split("/"), 0, { verb, httpMethod: "GET", allowed })).toBe(expected);
  });
});

test("the rows list every rule in the order of declaration, and leave out methods without one", () => {
  expect(routes.rows.map(({ httpMethod, template, rpc, service }) => `${httpMethod} ${template} ${rpc} ${service}`)).toEqual(
    [
      ["GET", "/v1/search", "Search"],
      ["POST", "/v1/search", "Search"],
      ["GET", "/v1/shelves/{shelf}/books/{book.name}", "GetBook"],
      ["GET", "/v1/{name=shelves/*/books/*}:read", "GetBook"],
      ["GET", "/v1/files/{name=**}", "GetBook"],
      ["GET", "/v1/files/{name=**}:open", "GetBook"],
      ["GET", "/v1/shelves/special", "GetSpecialShelf"],
      ["REPORT", "/v1/shelves/special", "GetSpecialShelf"],
      ["PUT", "/v1/shelves/{shelf}", "PutBook"],
      ["PATCH", "/v1/shelves/{shelf}/tags", "PutBook"],
      ["POST", "/v1/shelves/{shelf}", "PutBook"],
      ["DELETE", "/v1/shelves/{shelf}", "DeleteBook"],
      ["*", "/v1/echo", "Echo"],
      ["GET", "/v1/echo/{int32_value}/{bool_value}/{color}", "Echo"],
      ["GET", "/v1/everything", "Echo"],
    ].map(
      ([method, template, rpc]) =>
        `${method} ${template} quintet.testing.v1.LibraryService/${rpc} quintet.testing.v1.LibraryService`,
    ),
  );
});

describe("a wrong rule is refused with an error that names it", () => {
  const service = "quintet.testing.v1.RefusedService";
  const request = "quintet.testing.v1.RefusedRequest";
  const messages: Readonly<Record<string, string>> = {
    NoPattern: ": a rule without a path",
    BadTemplate: ', GET /a/{name: column 9: expected "}", found the end',
    UnknownPathField: ", GET /a/{leaf.colour}: quintet.testing.v1.Leaf has no field colour",
    PathThroughScalar: ", GET /a/{name.first}: name is not a message, so name.first names nothing",
    RepeatedInPath: ", GET /a/{names}: names is a list, and a path variable is one value",
    MapInPath: ", GET /a/{by_name}: by_name is a map, and a path variable is one value",
    MessageInPath: ", GET /a/{leaf}: leaf is a message, and a path variable is one value",
    OneofTwiceInPath: ", GET /a/{left}/{right}: left and right cannot both be given",
    UnknownBody: `, POST /a: ${request} has no field nothing`,
    NestedBody: ", POST /a: body leaf.inner is not a field of the input itself",
    BodyInPath: ", POST /a/{leaf.name}: the path and the body both bind leaf",
    BodyOnGet: ", GET /a: a rule for GET has no body",
    BodyOnDelete: ", DELETE /a: a rule for DELETE has no body",
    UnknownResponseBody: ", GET /a: quintet.testing.v1.RefusedResponse has no field nothing",
    NestedAdditionalBindings: ", GET /b: an additional binding cannot have additional bindings",
    BadCustomKind: ", get it /a: not an HTTP method",
    NoSuccessMessage: ", GET /a: the method has no (quintet.options.v1.success_message)",
    Streaming: ", GET /a: REST does not support streams of requests",
    Duplicate: `, GET /a/{left=*}/b:c: matches the same paths as ${service}.Duplicate, GET /a/{name}/b:c`,
    AnyInRequest: ", GET /a: REST does not support google.protobuf.Any",
    AnyInResponse: ", GET /a: REST does not support google.protobuf.Any",
  };

  test.each(RefusedService.methods.map((method) => [method.name, method] as const))("%s", (name, method) => {
    expect(() => compileRoutes([method])).toThrow(new Error(`${service}.${name}${messages[name]}`));
    // Twice, because what was compiled in part the first time must not be used the second time.
    expect(() => compileRoutes([method])).toThrow(new Error(`${service}.${name}${messages[name]}`));
  });
});
