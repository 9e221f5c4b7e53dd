// What others that serve google.api.http do, as their documentation and tests say, case by case; and where this differs, why.
//
// http.proto: https://github.com/googleapis/googleapis/blob/master/google/api/http.proto
// Envoy: https://github.com/grpc-ecosystem/grpc-httpjson-transcoding, which Envoy's transcoder is built on: http_template_test, path_matcher_test
// grpc-gateway: https://github.com/grpc-ecosystem/grpc-gateway: internal/httprule/parse_test, runtime/query_test
// vanguard-go: https://github.com/connectrpc/vanguard-go: path_parser_test
import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EverythingSchema } from "../../../test/gen/quintet/testing/v1/everything_pb.js";
import { compileBind, compileRoutes, type InvalidInput, parseTemplate } from "../src/index.ts";
import { methodsOf } from "./rules.ts";

type Source = "http.proto" | "Envoy" | "grpc-gateway" | "vanguard-go";

const REFUSED = "refused";

/** Segments, variables with the index of their first segment and after their last, and the verb; or that it is refused. */
function parsed(source: string): string {
  try {
    const { segments, variables, verb } = parseTemplate(source);
    const path = segments.map((segment) => (segment.kind === "literal" ? segment.text : segment.kind)).join(" ");
    const named = variables.map(({ fieldPath, start, end }) => ` ${fieldPath}@${start}-${end ?? ""}`).join("");
    return `${path}${named}${verb === "" ? "" : ` :${verb}`}`;
  } catch {
    return REFUSED;
  }
}

describe("templates", () => {
  test.each<[source: Source, template: string, parsed: string]>([
    ["http.proto", "/v1/{name=messages/*}", "v1 messages * name@1-3"],
    ["http.proto", "/v1/messages/{message_id}", "v1 messages * message_id@2-3"],
    ["http.proto", "/v1/users/{user_id}/messages/{message_id}", "v1 users * messages * user_id@2-3 message_id@4-5"],
    ["http.proto", "/v1/{var=*}", "v1 * var@1-2"],
    ["http.proto", "/v1/{var=**}", "v1 ** var@1-"],
    ["http.proto", "/v1/a:verb", "v1 a :verb"],
    ["http.proto", "/v1/**:verb", "v1 ** :verb"],
    ["http.proto", "/v1/{a={b}}", REFUSED],
    ["Envoy", "/shelves/{shelf}/books/{book}", "shelves * books * shelf@1-2 book@3-4"],
    ["Envoy", "/shelves/**", "shelves **"],
    ["Envoy", "/**", "**"],
    ["Envoy", "/a:foo", "a :foo"],
    ["Envoy", "/a/b/c:foo", "a b c :foo"],
    ["Envoy", "/*/**", "* **"],
    ["Envoy", "/*/a/**", "* a **"],
    ["Envoy", "/a/{a.b.c}", "a * a.b.c@1-2"],
    ["Envoy", "/a/{a.b.c=*}", "a * a.b.c@1-2"],
    ["Envoy", "/a/{b=*}", "a * b@1-2"],
    ["Envoy", "/a/{b=**}", "a ** b@1-"],
    ["Envoy", "/a/{b=c/*}", "a c * b@1-3"],
    ["Envoy", "/a/{b=c/*/d}", "a c * d b@1-4"],
    ["Envoy", "/a/{b=c/**}", "a c ** b@1-"],
    ["Envoy", "/*:verb", "* :verb"],
    ["Envoy", "/**:verb", "** :verb"],
    ["Envoy", "/{a}:verb", "* a@0-1 :verb"],
    ["Envoy", "/a/b/*:verb", "a b * :verb"],
    ["Envoy", "/a/b/**:verb", "a b ** :verb"],
    ["Envoy", "/a/b/{a}:verb", "a b * a@2-3 :verb"],
    ["Envoy", "/{x}", "* x@0-1"],
    ["Envoy", "/{x.y.z}", "* x.y.z@0-1"],
    ["Envoy", "/{x=*}", "* x@0-1"],
    ["Envoy", "/{x=a/*}", "a * x@0-2"],
    ["Envoy", "/{x.y.z=*/a/b}/c", "* a b c x.y.z@0-3"],
    ["Envoy", "/{x=**}", "** x@0-"],
    ["Envoy", "/{x.y.z=*/*}:verb", "* * x.y.z@0-2 :verb"],
    ["Envoy", "/{x=**}:myverb", "** x@0- :myverb"],
    ["Envoy", "/a/{b=*}/**:verb", "a * ** b@1-2 :verb"],
    ...[
      ..."|/|//|/{}|/a/|/a//b|:verb|/:verb|/a/:verb|:|/:|/*:|/**:|/{var}:|/a/b/:|/a/b/*:|/a/b/**:|/a/b/{var}:|/a/{|/a/{var|/a/{var.".split(
        "|",
      ),
      ..."/a/{x=var:verb} a {x} {x=/a} {x=/a/b} a/b a/b/{x} a/{x}/b a/{x}/b:verb /a/{var=/b} /{var=a/{nested=b}}".split(" "),
      ..."/a{x} /{x}a /a{x}b /{x}a{y} /a/b{x} /a/{x}b /a/b{x}c /a/{x}b{y} /a/b{x}/s /a/{x}b/s /a/b{x}c/s /a/{x}b{y}/s".split(" "),
      ..."/a{x=b/**}/{y=*} /a{x=b/**}/bb/{y=**} /a/**/* /a/**/foo/* /a/**/** /a/**/foo/**".split(" "),
    ].map((template): [Source, string, string] => ["Envoy", template, REFUSED]),
    ["grpc-gateway", "/v1", "v1"],
    ["grpc-gateway", "/v1/b", "v1 b"],
    ["grpc-gateway", "/v1/endpoint/*", "v1 endpoint *"],
    ["grpc-gateway", "/v1/endpoint/**", "v1 endpoint **"],
    ["grpc-gateway", "/v1/b/{bucket_name=*}", "v1 b * bucket_name@2-3"],
    ["grpc-gateway", "/v1/b/{bucket_name=buckets/*}", "v1 b buckets * bucket_name@2-4"],
    ["grpc-gateway", "/v1/b/{bucket_name=buckets/*}/o", "v1 b buckets * o bucket_name@2-4"],
    ["grpc-gateway", "/v1/b/{bucket_name=buckets/*}/o/{name}", "v1 b buckets * o * bucket_name@2-4 name@5-6"],
    ["grpc-gateway", "/v1/a/{endpoint}:a", "v1 a * endpoint@2-3 :a"],
    ["grpc-gateway", "/{field.nested.nested2=*}", "* field.nested.nested2@0-1"],
    ["grpc-gateway", "/{name=a/b/*}", "a b * name@0-3"],
    ["grpc-gateway", "/v1/{name.nested=a/b/*}/o/{other=a/b/*/c}/**", "v1 a b * o a b * c ** name.nested@1-4 other@5-9"],
    ["grpc-gateway", "/%e7%ac%ac%e4%b8%80%e7%89%88", "第一版"],
    ...[..."// /a?b /% /%2 /a%2z /{name /{name= /{name=* /{name.} /{name..nested} /{field-name} /v1{name}".split(" ")].map(
      (template): [Source, string, string] => ["grpc-gateway", template, REFUSED],
    ),
    ["vanguard-go", "/foo/bar/baz/buzz", "foo bar baz buzz"],
    ["vanguard-go", "/foo/bar/{name}", "foo bar * name@2-3"],
    ["vanguard-go", "/foo/bar/{name}/baz/{child}", "foo bar * baz * name@2-3 child@4-5"],
    [
      "vanguard-go",
      "/foo/bar/{name}/baz/{child.id}/buzz/{child.thing.id}",
      "foo bar * baz * buzz * name@2-3 child.id@4-5 child.thing.id@6-7",
    ],
    ["vanguard-go", "/foo/bar/*/{thing.id}/{cat=**}", "foo bar * * ** thing.id@3-4 cat@4-"],
    ["vanguard-go", "/foo/bar/*/{thing.id}/{cat=**}:do", "foo bar * * ** thing.id@3-4 cat@4- :do"],
  ])("%s: %s", (_, template, expected) => {
    expect(parsed(template)).toBe(expected);
  });

  // http.proto: `**` must be the last part of the path except the verb.
  test.each(["/a/{b=c/**}/d/e", "/a/{b=c/**/d}/e", "/a/{b=c/**/d}/e:verb", "/{x.y.z=a/**/b}", "/{x.y.z=a/**/b}/c/d"])(
    "Envoy accepts segments after **, as in %s; here they are refused, as http.proto says",
    (template) => expect(parsed(template)).toBe(REFUSED),
  );

  // http.proto: the template of a variable must not contain other variables.
  test.each(["/foo/bob/{book_id={author}/{isbn}/*}/details", "/{a={b}/*}"])(
    "vanguard-go accepts variables in variables, as in %s; here they are refused, as http.proto says",
    (template) => expect(parsed(template)).toBe(REFUSED),
  );

  test.each([
    ["/v1/a/{endpoint}:b:c", "a verb with a colon; http.proto: a verb is one LITERAL, without colons"],
    ["/v1/a=b&c=d;e=f:g/endpoint.rdf", "a colon in a segment before the last"],
  ])("grpc-gateway accepts %s: %s", (template) => expect(parsed(template)).toBe(REFUSED));
});

const TEMPLATES = {
  wildcards: ["/a/**", "/b/*", "/c/*/d/**", "/c/*/d/e", "/c/f/d/e"],
  variables: [
    "/a/{x}/c/d/e",
    "/{x=a/*}/b/{y=*}/c",
    "/a/{x=b/*}/{y=d/**}",
    "/{x=*}/a",
    "/a/b/{x=*}",
    "/a/b/c/{x=**}",
    "/{x=*}/d/e/f/{y=**}",
  ],
  verbs: ["/person", "/person/{id=*}", "/{x=**}:verb"],
  verbsAndVariables: ["/a/{y=*}:verb", "/a/{y=d/**}:verb", "/{x=*}/a:verb", "/e/{x=*}/f:verb"],
  constants: ["/some/const:verb", "/some/*:verb", "/some/*/foo:verb", "/other/**:verb"],
  two: ["/{a=*}/{b=*}:verb"],
  noVerb: ["/foo/{a=*}", "/foo/*/hello"],
  all: ["/{a=**}:verb", "/{a=**}"],
  simple: ["/prefix/middle/suffix", "/prefix/middle", "/prefix", "/otherprefix/suffix"],
  encoded: ["/a/{x}/c", "/m/{x=p/*/q/*}/c"],
  messages: ["/v1/{name=messages/*}", "/v1/messages/{message_id}/x", "/v1/users/{user_id}/messages/{message_id}"],
} as const;

describe("paths", () => {
  test.each<[source: Source, templates: keyof typeof TEMPLATES, path: string, found: string]>([
    ["Envoy", "wildcards", "/a/b", "/a/**"],
    ["Envoy", "wildcards", "/a/b/c", "/a/**"],
    ["Envoy", "wildcards", "/b/c", "/b/*"],
    ["Envoy", "wildcards", "b/c/d", "unknown"],
    ["Envoy", "wildcards", "/c/u/d/v", "/c/*/d/**"],
    ["Envoy", "wildcards", "/c/v/d/w/x", "/c/*/d/**"],
    ["Envoy", "wildcards", "/c/x/y/d/z", "unknown"],
    ["Envoy", "wildcards", "/c//v/d/w/x", "unknown"],
    ["Envoy", "wildcards", "/c/x/d/e", "/c/*/d/e"],
    ["Envoy", "wildcards", "/c/f/d/e", "/c/f/d/e"],
    ["Envoy", "variables", "/a/book/c/d/e", "/a/{x}/c/d/e x=book"],
    ["Envoy", "variables", "/a/hello/b/world/c", "/{x=a/*}/b/{y=*}/c x=a/hello y=world"],
    ["Envoy", "variables", "/a/b/zoo/d/animal/tiger", "/a/{x=b/*}/{y=d/**} x=b/zoo y=d/animal/tiger"],
    ["Envoy", "variables", "/foo/a", "/{x=*}/a x=foo"],
    ["Envoy", "variables", "/a/b/foo", "/a/b/{x=*} x=foo"],
    ["Envoy", "variables", "/a/b/c/foo/bar/baz", "/a/b/c/{x=**} x=foo/bar/baz"],
    ["Envoy", "variables", "/foo/d/e/f/bar/baz", "/{x=*}/d/e/f/{y=**} x=foo y=bar/baz"],
    ["Envoy", "verbs", "/person:verb", "/{x=**}:verb x=person"],
    ["Envoy", "verbs", "/person/jason:verb", "/{x=**}:verb x=person/jason"],
    ["Envoy", "verbs", "/animal:verb", "/{x=**}:verb x=animal"],
    ["Envoy", "verbs", "/animal/cat:verb", "/{x=**}:verb x=animal/cat"],
    ["Envoy", "verbs", "/person", "/person"],
    ["Envoy", "verbs", "/person/jason", "/person/{id=*} id=jason"],
    ["Envoy", "verbs", "/animal", "unknown"],
    ["Envoy", "verbs", "/animal/cat", "unknown"],
    ["Envoy", "verbs", "/person:other", "unknown"],
    ["Envoy", "verbs", "/person/jason:other", "/person/{id=*} id=jason:other"],
    ["Envoy", "verbs", "/animal/cat:other", "unknown"],
    ["Envoy", "verbsAndVariables", "/a/world:verb", "/a/{y=*}:verb y=world"],
    ["Envoy", "verbsAndVariables", "/a/d/animal/tiger:verb", "/a/{y=d/**}:verb y=d/animal/tiger"],
    ["Envoy", "verbsAndVariables", "/foo/a:verb", "/{x=*}/a:verb x=foo"],
    ["Envoy", "verbsAndVariables", "/e/foo/f:verb", "/e/{x=*}/f:verb x=foo"],
    ["Envoy", "constants", "/some/const:verb", "/some/const:verb"],
    ["Envoy", "constants", "/some/other:verb", "/some/*:verb"],
    ["Envoy", "constants", "/some/other:verb/", "unknown"],
    ["Envoy", "constants", "/some/bar/foo:verb", "/some/*/foo:verb"],
    ["Envoy", "constants", "/some/foo1/foo2/foo:verb", "unknown"],
    ["Envoy", "constants", "/some/foo/bar:verb", "unknown"],
    ["Envoy", "constants", "/other/bar/foo:verb", "/other/**:verb"],
    ["Envoy", "two", "/some:verb/const:verb", "/{a=*}/{b=*}:verb a=some:verb b=const"],
    ["Envoy", "noVerb", "/foo/other:verb", "/foo/{a=*} a=other:verb"],
    ["Envoy", "noVerb", "/foo/other:verb/hello", "/foo/*/hello"],
    ["Envoy", "all", "/some:verb/const:verb", "/{a=**}:verb a=some:verb/const"],
    ["Envoy", "all", "/some:verb/const", "/{a=**} a=some:verb/const"],
    ["Envoy", "all", "/some:verb2/const:verb2", "/{a=**} a=some:verb2/const:verb2"],
    ["Envoy", "simple", "/prefix/middle/suffix", "/prefix/middle/suffix"],
    ["Envoy", "simple", "/prefix/middle", "/prefix/middle"],
    ["Envoy", "simple", "/prefix", "/prefix"],
    ["Envoy", "simple", "/otherprefix/suffix", "/otherprefix/suffix"],
    ["Envoy", "simple", "/prefix/middle/suffix/other", "unknown"],
    ["Envoy", "simple", "/prefix/middle/other", "unknown"],
    ["Envoy", "simple", "/prefix/other", "unknown"],
    ["Envoy", "simple", "/other", "unknown"],
    ["Envoy", "encoded", "/a/p%20q%2Fr/c", "/a/{x}/c x=p q/r"],
    ["Envoy", "encoded", "/m/p/foo%20foo/q/bar%2Fbar/c", "/m/{x=p/*/q/*}/c x=p/foo foo/q/bar%2Fbar"],
    ["http.proto", "messages", "/v1/messages/123456", "/v1/{name=messages/*} name=messages/123456"],
    [
      "http.proto",
      "messages",
      "/v1/users/me/messages/123456",
      "/v1/users/{user_id}/messages/{message_id} user_id=me message_id=123456",
    ],
  ])("%s: with %s, %s", (_, templates, path, expected) => {
    const routes = compileRoutes(methodsOf(TEMPLATES[templates].map((template) => ({ rule: `GET ${template}` }))));
    const found = routes.match("GET", path);
    const values =
      found.kind === "route"
        ? found.route.template.variables.map(({ fieldPath }, at) => ` ${fieldPath}=${found.pathValues[at]}`)
        : [];
    expect(found.kind === "route" ? found.route.template.source + values.join("") : found.kind).toBe(expected);
  });

  test("Envoy keeps reserved characters encoded in several segments by default; here only a slash, as with its kAllCharactersExceptSlash", () => {
    const routes = compileRoutes(methodsOf([{ rule: "GET /a/{x=*}/{y=**}" }]));
    const reserved = "%21%23%24%26%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D";
    expect(routes.match("GET", `/a/${reserved}/${reserved}`)).toMatchObject({
      pathValues: ["!#$&'()*+,/:;=?@[]", "!#$&'()*+,%2F:;=?@[]"],
    });
  });

  test("Envoy lets a path have two rules, and finds neither; here that is an error at the start", () => {
    const twice = methodsOf([{ rule: "GET /foo/bar" }, { rule: "GET /foo/bar" }]);
    expect(() => compileRoutes(twice)).toThrow(
      "made.up.MadeUp.M1, GET /foo/bar: matches the same paths as made.up.MadeUp.M0, GET /foo/bar",
    );
  });
});

describe("requests", () => {
  const sub = { name: "sub", type: "TYPE_MESSAGE", typeName: ".made.up.Sub" };
  const message = { name: "message", type: "TYPE_MESSAGE", typeName: ".made.up.Sub" };
  const revision = { name: "revision", type: "TYPE_INT64" };

  test.each<[source: Source, rule: string, body: string | undefined, request: string, sent: object | undefined, input: unknown]>([
    ["http.proto", "GET /v1/{name=messages/*}", undefined, "GET /v1/messages/123456", undefined, { name: "messages/123456" }],
    [
      "http.proto",
      "GET /v1/messages/{message_id}",
      undefined,
      "GET /v1/messages/123456?revision=2&sub.subfield=foo",
      undefined,
      { messageId: "123456", revision: "2", sub: { subfield: "foo" } },
    ],
    [
      "http.proto",
      "PATCH /v1/messages/{message_id}",
      "message",
      "PATCH /v1/messages/123456",
      { text: "Hi!" },
      { messageId: "123456", message: { text: "Hi!" } },
    ],
    [
      "http.proto",
      "PATCH /v1/messages/{message_id}",
      "*",
      "PATCH /v1/messages/123456",
      { message: { text: "Hi!" } },
      { messageId: "123456", message: { text: "Hi!" } },
    ],
    [
      "http.proto",
      "GET /v1/messages/{message_id}",
      undefined,
      "GET /v1/messages/a?revision=x",
      undefined,
      'revision must be a whole number from -9223372036854775808 to 9223372036854775807, not "x"',
    ],
    ["Envoy", "GET /a", undefined, "GET /a?sub.text=Hello%20world", undefined, { sub: { text: "Hello world" } }],
    ["Envoy", "GET /a", undefined, "GET /a?sub.text=%24%25%2F%20%0A", undefined, { sub: { text: "$%/ \n" } }],
    [
      "Envoy",
      "GET /a/{x}/b",
      undefined,
      "GET /a/book/b?sub.text=shelf&revision=7",
      undefined,
      { x: "book", sub: { text: "shelf" }, revision: "7" },
    ],
  ])("%s: %s with body %j: %s", (_, rule, body, request, sent, expected) => {
    const routes = compileRoutes(methodsOf([{ rule, ...(body !== undefined && { body }) }], [sub, message, revision]));
    const [httpMethod = "", target = ""] = request.split(" ");
    const [path = "", query = ""] = target.split("?");
    const found = routes.match(httpMethod, path);
    if (found.kind !== "route") {
      throw new Error(found.kind);
    }
    const bytes = sent && new TextEncoder().encode(JSON.stringify(sent));
    const bind = (): unknown =>
      toJson(found.route.rpc.input, found.route.bind({ pathValues: found.pathValues, query, body: bytes, bodyType: "json" }));
    expect(described(bind)).toEqual(expected);
  });
});

/** The result, or what is wrong with the input. */
function described(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return (error as InvalidInput).rawMessage;
  }
}

describe("queries", () => {
  const [method] = methodsOf([{ rule: "GET /a" }]);
  const bind = compileBind({
    rpc: { ...method, input: EverythingSchema } as never,
    template: parseTemplate("/a"),
    httpMethod: "GET",
    body: "",
  });

  test.each<[source: Source, query: string, input: unknown]>([
    ["grpc-gateway", "float_value=1.5", { float_value: 1.5 }],
    ["grpc-gateway", "double_value=2.5", { double_value: 2.5 }],
    ["grpc-gateway", "int64_value=-1", { int64_value: "-1" }],
    ["grpc-gateway", "int32_value=-2", { int32_value: -2 }],
    ["grpc-gateway", "uint64_value=3", { uint64_value: "3" }],
    ["grpc-gateway", "uint32_value=4", { uint32_value: 4 }],
    ["grpc-gateway", "bool_value=true", { bool_value: true }],
    ["grpc-gateway", "string_value=str", { string_value: "str" }],
    ["grpc-gateway", "bytes_value=Ynl0ZXM=", { bytes_value: "Ynl0ZXM=" }],
    ["grpc-gateway", "string_list=a&string_list=b&string_list=c", { string_list: ["a", "b", "c"] }],
    ["grpc-gateway", "floatValue=1.5&int64Value=-1&boolValue=true", { float_value: 1.5, int64_value: "-1", bool_value: true }],
    ["grpc-gateway", "stringList=a&stringList=b", { string_list: ["a", "b"] }],
    ["grpc-gateway", "time=2016-12-15T12:23:32.000000049Z", { time: "2016-12-15T12:23:32.000000049Z" }],
    ["grpc-gateway", "mask=float_value,double_value", { mask: "floatValue,doubleValue" }],
    ["grpc-gateway", "float_wrapper=1.5", { float_wrapper: 1.5 }],
    ["grpc-gateway", "double_wrapper=2.5", { double_wrapper: 2.5 }],
    ["grpc-gateway", "int64_wrapper=-1", { int64_wrapper: "-1" }],
    ["grpc-gateway", "int32_wrapper=-2", { int32_wrapper: -2 }],
    ["grpc-gateway", "uint64_wrapper=3", { uint64_wrapper: "3" }],
    ["grpc-gateway", "uint32_wrapper=4", { uint32_wrapper: 4 }],
    ["grpc-gateway", "bool_wrapper=true", { bool_wrapper: true }],
    ["grpc-gateway", "string_wrapper=str", { string_wrapper: "str" }],
    ["grpc-gateway", "bytes_wrapper=Ynl0ZXM=", { bytes_wrapper: "Ynl0ZXM=" }],
    [
      "grpc-gateway",
      "string_map[key]=value&string_map[second]=bar&string_map[fourth]=",
      { string_map: { key: "value", second: "bar", fourth: "" } },
    ],
    ["grpc-gateway", "string_map[~!@%23$%25^%26*()]=value", { string_map: { "~!@#$%^&*()": "value" } }],
    ["grpc-gateway", "int32_map[key]=-2", { int32_map: { key: -2 } }],
    ["grpc-gateway", "by_int32_map[-2]=value", { by_int32_map: { "-2": "value" } }],
    ["grpc-gateway", "by_int64_map[-1]=true", { by_int64_map: { "-1": true } }],
    ["grpc-gateway", "by_bool_map[true]=2.5", { by_bool_map: { true: 2.5 } }],
    [
      "grpc-gateway",
      "nested.nested.string_value=t&nested.string_value=u",
      { nested: { string_value: "u", nested: { string_value: "t" } } },
    ],
    [
      "grpc-gateway",
      "nested.nested.string_list=a&nested.nested.string_list=b",
      { nested: { nested: { string_list: ["a", "b"] } } },
    ],
    [
      "grpc-gateway",
      "nested.string_map[first]=foo&nested.string_map[second]=bar",
      { nested: { string_map: { first: "foo", second: "bar" } } },
    ],
    ["grpc-gateway", "choice_text=foobar", { choice_text: "foobar" }],
    ["grpc-gateway", "choice_number=1", { choice_number: 1 }],
    ["grpc-gateway", "choice_text=a&choice_number=1", "choice_number cannot be given together with choice_text"],
  ])("%s: %s", (_, query, expected) => {
    const run = (): unknown =>
      toJson(EverythingSchema, bind({ pathValues: [], query, body: undefined, bodyType: "json" }) as never, {
        useProtoFieldName: true,
      });
    expect(described(run)).toEqual(expected);
  });

  test.each([
    ["uint64_value=1&uint64_value=2", "takes the first", "uint64_value is given twice"],
    ["duration=13h0m0s", "reads Go's durations", 'duration must be a duration in seconds such as 1.5s, not "13h0m0s"'],
    ["nothing=1", "ignores it", /^nothing is an unknown parameter/],
  ])("with %s grpc-gateway %s; here it is a wrong field, because nothing is ignored or guessed", (query, _, expected) => {
    expect(described(() => bind({ pathValues: [], query, body: undefined, bodyType: "json" }))).toEqual(
      typeof expected === "string" ? expected : expect.stringMatching(expected),
    );
  });
});
