import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  type MessageInitShape,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageConversion } from "../../../src/gateway/rest/rest-encoder.ts";
import { compileRoutes } from "../../../src/gateway/rest/routes.ts";
import { EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";
import {
  type Book,
  BookSchema,
  LibraryService,
  PutBookResponseSchema,
  SearchResponseSchema,
} from "../../gen/quintet/testing/v1/library_pb.js";
import { everything } from "./everything.ts";

const routes = compileRoutes(LibraryService.methods);
const meta = { nowMs: Date.UTC(2026, 0, 31, 12, 0, 0, 5), requestId: "6f1f3a2c-8a8b-4c39-9d4e-0d6a3f9f5b11" };
const metaText = '{"timestamp":"2026-01-31T12:00:00.005Z","request_id":"6f1f3a2c-8a8b-4c39-9d4e-0d6a3f9f5b11"}';

function written<Desc extends DescMessage>(method: string, path: string, schema: Desc, init: MessageInitShape<Desc>): string {
  const match = routes.match(method, path);
  if (match.kind !== "route") {
    throw new Error(match.kind);
  }
  const { text, bytes } = match.route.writeSuccess(create(schema, init) as Message, meta);
  expect(bytes).toBe(Buffer.byteLength(text));
  return text;
}

const INTEGERS_64 = [ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64];

// REST's form of what protobuf-es writes: enums have short names, the unspecified one is left out, and 64-bit integers are numbers.
function inRest(json: unknown, desc: DescMessage): unknown {
  if (desc.typeName === "google.protobuf.Int64Value" || desc.typeName === "google.protobuf.UInt64Value") {
    return Number(json);
  }
  if (desc.typeName.startsWith("google.protobuf.")) {
    return json;
  }
  const entries = Object.entries(json as object).map(([name, value]) => {
    const field = desc.fields.find((each) => each.name === name) as DescField;
    const convert = (one: unknown): unknown => {
      if (field.message !== undefined) {
        return inRest(one, field.message);
      }
      if (field.enum?.typeName === "quintet.testing.v1.Color") {
        const short = String(one).replace("COLOR_", "").toLowerCase();
        return typeof one === "number" ? one : short === "unspecified" ? undefined : short;
      }
      return field.scalar !== undefined && INTEGERS_64.includes(field.scalar) ? Number(one) : one;
    };
    if (field.fieldKind === "list") {
      return [name, (value as unknown[]).map(convert).filter((one) => one !== undefined)] as const;
    }
    return [name, field.fieldKind === "map" ? mapped(value as object, convert) : convert(value)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const mapped = (entries: object, convert: (one: unknown) => unknown): unknown =>
  Object.fromEntries(
    Object.entries(entries)
      .map(([key, one]) => [key, convert(one)] as const)
      .filter(([, one]) => one !== undefined),
  );

const dataOf = (message: Message): unknown => JSON.parse(JSON.stringify(messageConversion(EverythingSchema)(message)));

describe("the envelope", () => {
  test("has its keys in a fixed order, and fields in the order of the proto", () => {
    const results = [{ tagNames: ["x"], pages: 3, author: 'A "B"\n', name: "a" }, {}];
    expect(written("GET", "/v1/search", SearchResponseSchema, { count: 2, results })).toBe(
      '{"data":{"count":2,"results":[{"name":"a","author":"A \\"B\\"\\n","pages":3,"tag_names":["x"]},{"name":"","pages":0,"tag_names":[]}]},' +
        `"meta":${metaText},"status":"ok","message":"Search completed","success":true}`,
    );
  });

  test("has one field as its data if the rule says so, and null if that field is unset", () => {
    const tail = `"meta":${metaText},"status":"ok","message":"Book kept","success":true}`;
    const book = { name: "a", pages: 1 };
    expect(written("PUT", "/v1/shelves/s", PutBookResponseSchema, { book, tagNames: ["x"] })).toBe(
      `{"data":{"name":"a","pages":1,"tag_names":[]},${tail}`,
    );
    expect(written("PUT", "/v1/shelves/s", PutBookResponseSchema, {})).toBe(`{"data":null,${tail}`);
    expect(written("PATCH", "/v1/shelves/s/tags", PutBookResponseSchema, { book, tagNames: ["x"] })).toBe(`{"data":["x"],${tail}`);
    expect(written("PATCH", "/v1/shelves/s/tags", PutBookResponseSchema, {})).toBe(`{"data":[],${tail}`);
  });

  describe("for a list whose elements are frozen", () => {
    const searched = (results: Message[], count = 0): string =>
      written("GET", "/v1/search", SearchResponseSchema, { count, results } as never);
    const deepFrozen = (book: Book): Book => {
      Object.freeze(book.tagNames);
      return Object.freeze(book);
    };
    const book = fc.record({ name: fc.string({ unit: "binary" }), pages: fc.nat(), tagNames: fc.array(fc.string()) });

    test("is the same as for a list whose elements are not, the first time and later", () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(book, fc.boolean()), { minLength: 1 }), fc.nat(), (books, count) => {
          const plain = books.map(([init]) => create(BookSchema, init));
          const some = books.map(([init, isFrozen]) =>
            isFrozen ? deepFrozen(create(BookSchema, init)) : create(BookSchema, init),
          );
          const expected = searched(plain, count);
          expect([searched(some, count), searched(some, count)]).toEqual([expected, expected]);
        }),
      );
    });

    test("shows each change of an element that is not frozen, or only shallowly frozen", () => {
      const first = deepFrozen(create(BookSchema, { name: "a" }));
      const loose = create(BookSchema, { name: "b" });
      const onSurface = Object.freeze(create(BookSchema, { name: "c", tagNames: ["x"] }));
      const before = searched([first, loose, onSurface]);
      loose.name = "B";
      onSurface.tagNames.push("y");
      const after = searched([first, loose, onSurface]);
      expect(after).toBe(before.replace('"name":"b"', '"name":"B"').replace('["x"]', '["x","y"]'));
    });
  });

  test("for a deeply frozen message is the same as for one that is not frozen, the first time and later", () => {
    const init = { name: "a", pages: 3, tagNames: ["x", "y"] };
    const frozen = create(BookSchema, init);
    Object.freeze(frozen.tagNames);
    Object.freeze(frozen);
    const expected = written("GET", "/v1/files/x", BookSchema, init);
    const responses = [frozen, frozen].map((message) => written("GET", "/v1/files/x", BookSchema, message));
    expect(responses).toEqual([expected, expected]);
  });

  test("shows each change of a message that is only shallowly frozen", () => {
    const onSurface = Object.freeze(create(BookSchema, { name: "a", tagNames: ["x"] }));
    const before = written("GET", "/v1/files/x", BookSchema, onSurface);
    onSurface.tagNames.push("y");
    const after = written("GET", "/v1/files/x", BookSchema, onSurface);
    expect(after).toBe(before.replace('["x"]', '["x","y"]'));
  });

  test("is valid JSON for any message", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (name, author) => {
        const body = written("GET", "/v1/files/x", BookSchema, { name, author });
        expect(JSON.parse(body).data).toEqual({ name, author, pages: 0, tag_names: [] });
      }),
    );
  });
});

describe("data", () => {
  test("is what protobuf-es writes with proto names and all fields that have no presence, but for enums and 64-bit integers", () => {
    fc.assert(
      fc.property(everything, (message) => {
        const canonical = toJson(EverythingSchema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
        const { sparse_list: _, nested, ...rest } = inRest(canonical, EverythingSchema) as Record<string, object>;
        const { sparse_list: __, ...nestedRest } = (nested ?? {}) as Record<string, object>;
        // Compared as strings, because JSON does not distinguish -0.
        const expected = JSON.parse(JSON.stringify(nested === undefined ? rest : { ...rest, nested: nestedRest }));
        expect(dataOf(message)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test("has the short names of enums, and leaves out the unspecified value", () => {
    const colors = { color: 0, optionalColor: 2, colorList: [1, 0, -3, 9], colorMap: { a: 1 } };
    expect(dataOf(create(EverythingSchema, colors))).toMatchObject({
      optional_color: "dark_blue",
      color_list: ["red", "ultraviolet", 9],
      color_map: { a: "red" },
    });
    expect(dataOf(create(EverythingSchema, colors))).not.toHaveProperty("color");
  });

  test("leaves out an empty list if the proto says so", () => {
    expect(dataOf(create(EverythingSchema, {}))).not.toHaveProperty("sparse_list");
    expect(dataOf(create(EverythingSchema, { sparseList: ["a"] }))).toMatchObject({ sparse_list: ["a"] });
  });

  test("escapes half of a surrogate pair, which is not valid in UTF-8", () => {
    expect(written("GET", "/v1/files/x", BookSchema, { name: "a\ud800b" })).toContain('"name":"a\\ud800b"');
  });

  test.each([
    [{ seconds: 253402300800n }, "must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z inclusive"],
    [{ seconds: -62135596801n }, "must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z inclusive"],
  ])("is refused when a time is out of range: %o", (time, message) => {
    expect(() => dataOf(create(EverythingSchema, { time }))).toThrow(message);
  });
});
