// The OpenAPI document against the server: its paths, parameters, bounds, defaults and responses are true, for every operation of the data
// services.
import { statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { compileRoutes } from "../../src/gateway/rest/routes.ts";
import { DATA_METHODS } from "../fixtures/data-services.ts";
import { START_MS } from "../fixtures/gateway.ts";
import { type Schema, schemaFaults } from "../fixtures/json-schema.ts";
import {
  CHANGING_OPERATIONS,
  DATA_OPERATIONS,
  DATA_PATHS,
  DOCUMENT,
  fetchJson,
  OPERATORS_DOCUMENT,
  type Operation,
  type Parameter,
  type ReceivedResponse,
  responseFaults,
  SCHEMAS,
} from "../fixtures/openapi-document.ts";
import { type Query, sampleCalls, sampleInput, stationOf } from "../fixtures/sample-calls.ts";
import { startWorld, type World } from "../fixtures/world.ts";

const BYTES_MAX = 450_000;
const WORDS_MAX = 60;
const PARAMETERS = DATA_OPERATIONS.flatMap(({ path, get }) => (get.parameters ?? []).map((parameter) => ({ path, ...parameter })));

// A valid value for each parameter, other than its default.
const VALUES: Query = {
  address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  bitrate_max: "192",
  bitrate_min: "96",
  chain: "ethereum",
  codec: "MP3",
  country: "germany",
  countrycode: "DE",
  days: "30",
  dice: "1,5",
  end: "1760000000",
  from_day: "2026-11-01",
  geo_distance: "900000",
  geo_lat: "41.8",
  geo_long: "-87.6",
  has_geo: "true",
  https_only: "true",
  include_broken: "true",
  tag_exact: "true",
  language_exact: "true",
  distinct: "true",
  indicator: "s2f",
  interval_seconds: "60",
  language: "german",
  limit: "2",
  list: "cow",
  match: "nearest",
  min_confidence: "0.5",
  name: "radio",
  offset: "3",
  order: "votes",
  period: "1w",
  precision: "3",
  query: "dai",
  reverse: "true",
  span: "5",
  start: "1760000000",
  state: "bayern",
  tag: "jazz",
  timestamp: "1760000000",
  to_day: "2026-11-10",
  tokens: "ethereum:0x6b175474e89094c44da98b954eedeac495271d0f",
  uuids: "d59dac10-c9a2-4ae2-add3-44e122cdaeeb,00000000-0000-4000-8000-000000000000",
};

// Parameters that must be given together with others.
const COMPANIONS: Readonly<Record<string, Query>> = {
  geo_distance: { geo_lat: "41.8", geo_long: "-87.6" },
  geo_lat: { geo_long: "-87.6" },
  geo_long: { geo_lat: "41.8" },
};

// Values just outside what is documented.
function outside({ name, schema }: Pick<Parameter, "name" | "schema">): readonly string[] {
  const { type, minimum, maximum, maxLength, minLength, enum: choices, format, maxItems, items } = schema;
  const atEnds = [
    ...(typeof minimum === "number" ? [String(minimum - 1)] : []),
    ...(typeof maximum === "number" ? [String(maximum + 1)] : []),
    ...(typeof maxLength === "number" ? ["a".repeat(maxLength + 1)] : []),
    ...(typeof minLength === "number" ? ["a".repeat(minLength - 1)] : []),
    ...(Array.isArray(choices) || format === "uuid" || ["integer", "number", "boolean"].includes(type) ? ["nonsense"] : []),
    ...(type === "integer" ? ["1.5", "1e-1", " 1"] : []),
  ];
  const tooMany = typeof maxItems === "number" ? [Array.from({ length: maxItems + 1 }, (_, i) => itemOf(name, i)).join()] : [];
  return [...atEnds, ...tooMany, ...(items === undefined ? [] : outside({ name, schema: items as Parameter["schema"] }))];
}

function itemOf(name: string, index: number): string {
  if (name === "uuids") {
    return `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
  }
  return name === "tokens" ? `coingecko:slug-${index}` : "1";
}

// The ends of what is documented; where the ends of one parameter depend on another, these are out of reach.
const DEPENDENT = new Set(["/token-price/v1/change timestamp 1230768000"]);

function ends({
  path,
  name,
  schema: { minimum, maximum, format },
}: { path: string } & Pick<Parameter, "name" | "schema">): readonly string[] {
  const all = [minimum, maximum]
    .filter((end) => typeof end === "number" && (format !== "int64" || end <= START_MS / 1000))
    .map(String);
  return all.filter((end) => !DEPENDENT.has(`${path} ${name} ${end}`));
}

const jsonOf = (schema: Schema, text: string): unknown => {
  switch (schema.type) {
    case "array":
      return text.split(",").map((item) => jsonOf(schema.items as Schema, item));
    case "string":
      return text;
    default:
      return JSON.parse(text);
  }
};

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

describe("the OpenAPI document", () => {
  let world: World;
  let samples: ReadonlyMap<string, Query>;

  beforeAll(async () => {
    world = await startWorld();
    const calls = sampleCalls(await stationOf(world.gateway.origin, world.headers));
    samples = new Map(calls.map(({ path, query }) => [path, query]));
  });
  afterAll(() => world.close());

  const responded = (url: string, init: RequestInit = {}): Promise<ReceivedResponse> =>
    fetchJson(`${world.gateway.origin}${url}`, { ...init, headers: { ...world.headers, ...init.headers } });

  const withSample = (path: string, query: Query = {}): string => {
    const companions = Object.keys(query).map((name) => COMPANIONS[name] ?? {});
    return `${path}?${new URLSearchParams(Object.assign({}, samples.get(path), ...companions, query))}`;
  };

  // A refusal is correct if it is documented and every violation names the field that was wrong.
  function expectRefused(operation: Operation, response: ReceivedResponse, field: string): void {
    const violations = response.body.error?.details.flatMap(({ field_violations = [] }) => field_violations) ?? [];
    const fields = new Set(violations.map((violation) => violation.field.replace(/\[\d+\]$/, "")));
    expect({ status: response.status, fields: [...fields], faults: responseFaults(operation, response) }).toEqual({
      status: 400,
      fields: [field],
      faults: [],
    });
  }

  test("has the paths that are served, and no others", () => {
    const served = compileRoutes(DATA_METHODS.map(({ desc }) => desc)).rows;
    const documented = [...DATA_OPERATIONS, ...CHANGING_OPERATIONS].flatMap(({ path, ...verbs }) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    expect(documented.toSorted()).toEqual(served.map(({ httpMethod, template }) => `${httpMethod} ${template}`).toSorted());
  });

  describe.each(DATA_OPERATIONS)("$path", ({ path, get, post }) => {
    test("responds as documented, in the same way to a query, a JSON body and a form", async () => {
      const ok = await responded(withSample(path));
      expect({ status: ok.status, faults: responseFaults(get, ok) }).toEqual({ status: 200, faults: [] });

      const { meta: _, ...told } = ok.body;
      const sample = samples.get(path) ?? {};
      const types = new Map(get.parameters?.map(({ name, schema }) => [name, schema]));
      const json = Object.fromEntries(Object.entries(sample).map(([name, text]) => [name, jsonOf(types.get(name) ?? {}, text)]));
      const bodies = [
        { type: "application/json", body: JSON.stringify(json) },
        { type: "application/x-www-form-urlencoded", body: String(new URLSearchParams(sample)) },
      ];
      if (post === undefined) {
        return;
      }
      for (const { type, body } of bodies) {
        const posted = await responded(path, { method: "POST", body, headers: { "content-type": type } });
        const { meta: __, ...response } = posted.body;
        expect({ status: posted.status, response, faults: responseFaults(post, posted) }).toEqual({
          status: 200,
          response: told,
          faults: [],
        });
      }
    });

    test("treats an empty parameter, and an empty string or null in a body, as not given where the document says so", async () => {
      const sample = samples.get(path) ?? {};
      const spare = (get.parameters ?? []).filter(({ name, required }) => !required && !(name in sample));
      const { meta: _, ...told } = (await responded(withSample(path))).body;
      expect(spare.map(({ allowEmptyValue }) => allowEmptyValue)).toEqual(spare.map(() => true));
      const { meta: __, ...empty } = (await responded(withSample(path, Object.fromEntries(spare.map(({ name }) => [name, ""])))))
        .body;
      expect(empty).toEqual(told);
      if (post === undefined) {
        return;
      }

      const schema = post.requestBody?.content["application/json"]?.schema ?? {};
      const types = new Map(get.parameters?.map((parameter) => [parameter.name, parameter.schema]));
      const needed = Object.fromEntries(Object.entries(sample).map(([name, text]) => [name, jsonOf(types.get(name) ?? {}, text)]));
      const texts = spare.filter((parameter) => parameter.schema.type === "string");
      const blanks = [
        Object.fromEntries(spare.map(({ name }) => [name, null])),
        Object.fromEntries(texts.map(({ name }) => [name, ""])),
      ];
      for (const blank of blanks) {
        const body = { ...needed, ...blank };
        const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
        const { meta: ___, ...posted } = (await responded(path, init)).body;
        expect({ posted, faults: schemaFaults(schema, body, "body", SCHEMAS) }).toEqual({ posted: told, faults: [] });
      }
      for (const name of Object.keys(needed)) {
        const body = { ...needed, [name]: null };
        const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
        expectRefused(post, await responded(path, init), name);
        expect(schemaFaults(schema, body, "body", SCHEMAS)).not.toEqual([]);
      }
    });

    test("refuses undocumented input in the documented way", async () => {
      expectRefused(get, await responded(withSample(path, { nonsense: "1" })), "nonsense");
      const keyless = await responded(withSample(path), { headers: { "x-gateway-key": "" } });
      expect({ status: keyless.status, faults: responseFaults(get, keyless) }).toEqual({ status: 401, faults: [] });
    });

    test("says which parameters it needs", async () => {
      const sample = samples.get(path) ?? {};
      const needed = get.parameters?.filter(({ required }) => required).map(({ name }) => name) ?? [];
      expect(Object.keys(sample).toSorted()).toEqual(needed.toSorted());
      for (const name of needed) {
        const { [name]: _, ...rest } = sample;
        expectRefused(get, await responded(`${path}?${new URLSearchParams(rest)}`), name);
      }
    });
  });

  describe.each(CHANGING_OPERATIONS)("$path", ({ path, post }) => {
    const posted = (body: object): Promise<ReceivedResponse> =>
      responded(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
    const sample = async (): Promise<object> => sampleInput(post.operationId, await stationOf(world.gateway.origin, world.headers));

    test("responds as documented", async () => {
      const ok = await posted(await sample());
      expect({ status: ok.status, faults: responseFaults(post, ok) }).toEqual({ status: 200, faults: [] });
    });

    test("refuses undocumented input in the documented way", async () => {
      expectRefused(post, await posted({ ...(await sample()), nonsense: 1 }), "nonsense");
    });

    test("cannot be called by GET", async () => {
      expect((await responded(`${path}?${new URLSearchParams({ ...(await sample()) })}`)).status).toBe(405);
    });
  });

  describe.each(PARAMETERS)("the parameter $name of $path", ({ path, name, schema }) => {
    const operation = DATA_PATHS[path]?.get as Operation;

    test("is accepted in snake_case and in lowerCamelCase", async () => {
      const { [name]: own = "", ...rest } = samples.get(path) ?? {};
      for (const spelling of new Set([name, camelCase(name)])) {
        const response = await responded(
          `${path}?${new URLSearchParams({ ...rest, ...COMPANIONS[name], [spelling]: VALUES[name] ?? own })}`,
        );
        expect({ status: response.status, faults: responseFaults(operation, response) }).toEqual({ status: 200, faults: [] });
      }
    });

    test("is suggested if it is misspelt", async () => {
      const response = await responded(withSample(path, { [`${name}x`]: "1" }));
      expectRefused(operation, response, `${name}x`);
      expect(response.body.message).toContain(`did you mean "${name}"?`);
    });

    test("accepts its bounds, and nothing beyond them", async () => {
      for (const value of ends({ path, name, schema })) {
        expect({ value, status: (await responded(withSample(path, { [name]: value }))).status }).toEqual({ value, status: 200 });
      }
      for (const value of outside({ name, schema })) {
        expectRefused(operation, await responded(withSample(path, { [name]: value })), name);
      }
    });
  });

  // The first message of a stream does not show how often the stream checks for changes.
  test.each(PARAMETERS.filter(({ name, schema }) => schema.default !== undefined && name !== "interval_seconds"))(
    "$name of $path has the documented default",
    async ({ path, name, schema }) => {
      // None of the first stations is broken, and the price nearest to this time is a later one.
      const page: Query =
        name === "include_broken"
          ? { limit: "100" }
          : name === "match"
            ? { [path.endsWith("/chart") ? "end" : "timestamp"]: "1760000100" }
            : (COMPANIONS[name] ?? {});
      const dataWith = async (query: Query): Promise<unknown> =>
        (await responded(withSample(path, { ...page, ...query }))).body.data;
      const byDefault = await dataWith({});
      expect(await dataWith({ [name]: String(schema.default) })).toEqual(byDefault);
      expect(await dataWith({ [name]: VALUES[name] ?? "" })).not.toEqual(byDefault);
    },
  );

  test("is short enough to be read whole by a tool or an agent", () => {
    expect(statSync(new URL("../../gen/openapi.json", import.meta.url)).size).toBeLessThan(BYTES_MAX);
  });

  test("says what an operation does in at most 60 words: longer explanations are in the guides", () => {
    const operations = [DOCUMENT, OPERATORS_DOCUMENT].flatMap(({ paths }) =>
      Object.values<Readonly<Record<string, Operation>>>(paths).flatMap((verbs) => Object.values(verbs)),
    );
    const words = operations.map(({ operationId, description }) => ({ operationId, words: description.split(/\s+/).length }));
    expect(words.filter((counted) => counted.words > WORDS_MAX)).toEqual([]);
  });

  test("has the interface's version, and the program's beside it, as /version does", async () => {
    const program = packageJson.version;
    expect(DOCUMENT.info).toMatchObject({ version: "1.0.0", "x-program-version": program });
    const response = await fetch(`${world.gateway.origin}/version`);
    expect(await response.json()).toEqual({ api: "1.0.0", program });
  });

  test("marks each POST that repeats a GET, and nothing else, so that generators can leave it out", () => {
    const all = Object.entries<Readonly<Record<string, Operation & { readonly "x-internal"?: true }>>>(DOCUMENT.paths);
    const seen = all.flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => [path, verb, operation["x-internal"]]),
    );
    const expected = all.flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => [path, verb, verb === "post" && "get" in verbs && path in DATA_PATHS ? true : undefined]),
    );
    expect(seen).toEqual(expected);
  });

  test("has no null or empty string in an enum, for which generators have no name", () => {
    const schemas: Schema[] = [];
    JSON.parse(JSON.stringify(DOCUMENT), (_, value) => {
      if (Array.isArray(value?.enum)) {
        schemas.push(value);
      }
      return value;
    });
    expect(schemas.filter(({ enum: choices }) => (choices as unknown[]).some((one) => one === "" || one === null))).toEqual([]);
    expect(schemas).not.toEqual([]);
  });

  test("has a POST for a GET only in radio, whose every operation takes a body, and for lists", () => {
    const twice = DATA_OPERATIONS.filter(({ post }) => post !== undefined).map(({ path }) => path);
    const isList = ({ schema }: Parameter): boolean => schema.type === "array";
    const lists = DATA_OPERATIONS.filter(({ get }) => get.parameters?.some(isList));
    const expected = DATA_OPERATIONS.filter((one) => one.path.startsWith("/radio/") || lists.includes(one));
    expect(twice).toEqual(expected.map(({ path }) => path));
    expect(lists.length).toBeGreaterThan(5);
  });

  test("shows errors as they are sent", () => {
    const examples = Object.values<{ content: Record<string, { examples: Record<string, { value: unknown }> }> }>(
      DOCUMENT.components.responses,
    ).flatMap(({ content }) => Object.values(content["application/json"]?.examples ?? {}));
    expect(examples.flatMap(({ value }) => schemaFaults(SCHEMAS.Error ?? {}, value, "example", SCHEMAS))).toEqual([]);
  });
});
