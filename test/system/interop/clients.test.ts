// What every client package promises. Lists are read to their end, each with each of its filters: each page is charged, so none may be asked
// for twice, whatever is merged or left out on a page. A stream that is left ends, for it is charged as long as it lasts.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type DescMethod, fromJson, getOption, type JsonValue } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { data_service } from "../../../gen/quintet/options/v1/options_pb.js";
import { readPage } from "../../../scripts/docs/tables.ts";
import { operationIdOf } from "../../../scripts/openapi/recorded-calls.ts";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { DATA_METHODS } from "../../fixtures/data-services.ts";
import { advanceTime, type Gateway, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { DATA_OPERATIONS } from "../../fixtures/openapi-document.ts";
import { PATIENT_UPSTREAMS } from "../../fixtures/patient-upstreams.ts";
import { type Input, queryOf } from "../../fixtures/sample-calls.ts";
import { scrape, seriesOf } from "../../fixtures/scrape.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { buildGoProgram, installWheel, NPM_PACKAGE } from "./client-packages.ts";
import { type Relay, startRelay } from "./relay.ts";
import { runProgram } from "./run-program.ts";

/** A list to read to its end. */
interface Listing {
  readonly id: string;
  readonly desc: DescMethod;
  /** `/radio/v1/search` */
  readonly path: string;
  readonly input: Input;
}

/** What was read. */
interface Read {
  /** Sorted, because what many results share is in no fixed order. Empty for a random order, in which pages may repeat some. */
  readonly names: readonly string[];
  readonly calls: number;
}

// What each list always needs.
const ALWAYS: Readonly<Record<string, Input>> = {
  TokenListService_GetList: { list: "uniswap" },
  TokenListService_SearchTokens: { query: "usd" },
};

// They go together only.
const POSITION = { geo_lat: 48.1, geo_long: 11.6, geo_distance: 1_000_000 };

// A value for each filter, with which more than one result is found.
const FILTERS: Readonly<Record<string, Input>> = {
  RadioService_SearchStations: {
    ...{ name: "radio", country: "germany", countrycode: "DE", language: "german", tag: "pop", codec: "MP3", state: "bayern" },
    ...{ order: "votes", reverse: true, bitrate_min: 128, bitrate_max: 128, https_only: true, has_geo: true, include_broken: true },
    ...{ query: "jazz", tag_exact: true, language_exact: true, distinct: true, ...POSITION },
  },
  RadioService_ListStates: { countrycode: "US" },
  TokenListService_GetList: { list: "aave", chain: "ethereum" },
  TokenListService_SearchTokens: { query: "usdc", chain: "ethereum" },
};

// Pages that have fewer results than `limit`, or none, although more follow.
const MORE: Readonly<Record<string, readonly Input[]>> = {
  RadioService_SearchStations: [
    { has_geo: true, limit: 100 },
    { has_geo: true, offset: 90, limit: 1 },
    { has_geo: false, distinct: true, order: "random", limit: 20 },
  ],
};

const LIMIT_MAX = 100;
const PAGES_MAX = 1000;
const SETUP_MS_MAX = 600_000;
const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
const isPaged = ({ input }: DescMethod): boolean => input.fields.some(({ name }) => name === "offset" || name === "page_token");
const nameOf = (result: object): string => {
  const { uuid, id, name } = result as Readonly<Record<string, unknown>>;
  return String(uuid ?? id ?? name);
};

const LISTINGS: readonly Listing[] = DATA_METHODS.filter(({ desc }) => isPaged(desc)).flatMap(({ desc }) => {
  const id = operationIdOf(desc);
  const path = DATA_OPERATIONS.find(({ get }) => get.operationId === id)?.path ?? "";
  const filters = desc.input.fields
    .map(({ name }) => name)
    .filter((name) => name !== "limit" && name !== "offset")
    .map((name) => ({ [name]: FILTERS[id]?.[name], ...(name.startsWith("geo_") && POSITION) }));
  return [{}, ...filters, ...(MORE[id] ?? [])].map((input) => ({ id, desc, path, input: { ...ALWAYS[id], ...input } }));
});

const namesIn = ({ input }: Listing, names: readonly string[]): readonly string[] =>
  input.order === "random" ? [] : names.toSorted();

async function readOverRest(listing: Listing, nameIn = nameOf): Promise<Read> {
  const { path, input } = listing;
  const names: string[] = [];
  let next: Input = input;
  for (let calls = 1; calls <= PAGES_MAX; calls += 1) {
    const response = await fetch(`${gateway.origin}${path}?${new URLSearchParams(queryOf(next))}`, {
      headers: { "x-gateway-key": key },
    });
    const { message, data } = (await response.json()) as {
      readonly message: string;
      readonly data: { readonly results: readonly object[]; readonly next_offset?: number } | null;
    };
    if (data === null) {
      throw new Error(`${path} with ${JSON.stringify(next)}: ${message}`);
    }
    names.push(...data.results.map(nameIn));
    if (data.next_offset === undefined) {
      return { names: namesIn(listing, names), calls };
    }
    next = { ...input, offset: data.next_offset };
  }
  throw new Error(`${path} has more than ${PAGES_MAX} pages`);
}

const clock = createManualClock({ nowMs: START_MS });
const tools = makeTemporaryDirectory();
const goProgram = join(tools.path, "go-client");
let sandbox: Sandbox;
let gateway: Gateway;
let relay: Relay;
let key: string;
// The lists with a limit that makes some six pages of each, as REST returns them.
const paged: (Read & { readonly listing: Listing })[] = [];

beforeAll(async () => {
  installWheel(join(tools.path, "venv"));
  buildGoProgram(readFileSync(join(import.meta.dirname, "go-client.go"), "utf8"), goProgram);
  sandbox = await startSandbox({ clock, controlPort: 0 });
  gateway = await startGateway({ variables: { ...sandbox.variables, ...PATIENT_UPSTREAMS, QUINTET_ADMIN_PORT: "0" }, clock });
  relay = await startRelay(gateway.port);
  key = (await gateway.makeCustomer(Object.fromEntries(SERVICE_NAMES.map((service) => [service, "free"])))).secret;
}, SETUP_MS_MAX);
afterAll(async () => {
  await relay.close();
  await advanceTime(clock, gateway.close());
  await sandbox.close();
  tools.remove();
});

const streamsAtServer = async (): Promise<object> => seriesOf(await scrape(gateway.adminOrigin), "quintet_calls_in_flight");

// Expects that a client which has begun one stream, and left it, has ended the call.
async function expectLeft(): Promise<void> {
  await expect.poll(streamsAtServer).toEqual({});
  expect({ started: relay.started, left: relay.left }).toEqual({ started: 1, left: 1 });
}

test("over REST, short pages have together what long ones have", async () => {
  const long: Read[] = [];
  for (const listing of LISTINGS) {
    const read = await readOverRest({ ...listing, input: { limit: LIMIT_MAX, ...listing.input } });
    const input = { limit: Math.min(LIMIT_MAX, Math.ceil(read.names.length / 6)), ...listing.input };
    long.push(read);
    paged.push({ listing: { ...listing, input }, ...(await readOverRest({ ...listing, input })) });
  }
  // With `distinct`, what a page leaves out depends on what else is on it.
  const named = (reads: readonly Read[]) =>
    LISTINGS.flatMap(({ input }, index) => (input.distinct === true ? [] : [[input, reads[index]?.names]]));
  expect(named(paged)).toEqual(named(long));
  // A filter that finds one page shows nothing, and neither do pages that are all full.
  expect(paged.filter(({ calls }) => calls < 2).map(({ listing }) => listing.input)).toEqual([]);
  const isShort = (one: (typeof paged)[number]): boolean =>
    one.calls > Math.ceil(one.names.length / Number(one.listing.input.limit));
  expect(paged.filter(isShort).length).toBeGreaterThan(1);
});

// Compares what a client has read with the pages that REST returns: the same results, with as many calls.
function expectSamePages(results: readonly (readonly string[])[]): void {
  const found = paged.map(({ listing }, index) => [listing.input, namesIn(listing, results[index] ?? [])]);
  expect(found).toEqual(paged.map(({ listing, names }) => [listing.input, names]));
  expect(relay.started).toBe(paged.reduce((sum, { calls }) => sum + calls, 0));
}

const typescript = async () => {
  const client = await import(pathToFileURL(join(NPM_PACKAGE, "index.js")).href);
  relay.reset();
  return { ...client, quintet: client.createQuintet({ url: relay.origin, key }) };
};

test("in TypeScript, a list is read to its end", async () => {
  const { quintet, resultsOf } = await typescript();
  const results = [];
  for (const { listing } of paged) {
    const { desc, input } = listing;
    const service = lowerFirst(desc.parent.name.replace("Service", ""));
    const all: AsyncIterable<object> = resultsOf(quintet[service][lowerFirst(desc.name)], fromJson(desc.input, input as JsonValue));
    results.push((await Array.fromAsync(all)).map(nameOf));
  }
  expectSamePages(results);
});

test("in TypeScript, a stream ends with the loop over it", async () => {
  const { quintet } = await typescript();
  for await (const { results } of quintet.tokenPrice.watchPrices({ tokens: ["coingecko:bitcoin"] })) {
    expect(results.length).toBe(1);
    expect(Object.values(await streamsAtServer())).toEqual([1]);
    break;
  }
  await expectLeft();
});

describe("in Go", () => {
  const go = (mode: string, stdin?: unknown): Promise<unknown[]> => {
    relay.reset();
    const environment = { QUINTET_URL: relay.origin, QUINTET_KEY: key, ADMIN_ORIGIN: gateway.adminOrigin ?? "" };
    return runProgram(goProgram, [mode], { directory: tools.path, environment, stdin });
  };

  test("a list is read to its end", async () => {
    const stdin = paged.map(({ listing: { desc, input } }) => ({
      service: desc.parent.name.replace("Service", ""),
      method: desc.name,
      input,
    }));
    expectSamePages((await go("pages", stdin)) as string[][]);
  });

  test("a stream ends with the loop over it", async () => {
    expect(await go("leave")).toEqual([[1, 0]]);
    await expectLeft();
  });
});

describe.each(["sync", "async"])("in Python, %s", (kind) => {
  const python = (mode: string, stdin?: unknown): Promise<unknown[]> => {
    relay.reset();
    const environment = { QUINTET_URL: relay.origin, QUINTET_KEY: key, ADMIN_ORIGIN: gateway.adminOrigin ?? "" };
    const args = [join(import.meta.dirname, "python-client.py"), mode, kind];
    return runProgram(join(tools.path, "venv/bin/python"), args, { directory: tools.path, environment, stdin });
  };

  test("a list is read to its end", async () => {
    const stdin = paged.map(({ listing: { desc, input } }) => ({
      service: getOption(desc.parent, data_service).name.replaceAll("-", "_"),
      method: desc.name,
      input,
    }));
    expectSamePages((await python("pages", stdin)) as string[][]);
  });

  test("a stream ends with the loop over it", async () => {
    expect(await python("leave")).toEqual([[1, 0]]);
    await expectLeft();
  });
});

// The programs of the guide on clients, each as its reader would run it.
const PAGE = readPage("docs/clients.md");
const programIn = (language: string): string =>
  (new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(PAGE)?.[1] ?? "").replace("http://127.0.0.1:8080", gateway.origin);

const RUN: Readonly<Record<string, (program: string) => { readonly file: string; readonly args: readonly string[] }>> = {
  ts(program) {
    const file = join(tools.path, "program.ts");
    writeFileSync(join(tools.path, "package.json"), '{ "type": "module" }');
    mkdirSync(join(tools.path, "node_modules/@quintet"), { recursive: true });
    symlinkSync(NPM_PACKAGE, join(tools.path, "node_modules/@quintet/client"));
    writeFileSync(file, program);
    return { file: process.execPath, args: [file] };
  },
  python(program) {
    const file = join(tools.path, "program.py");
    writeFileSync(file, program);
    return { file: join(tools.path, "venv/bin/python"), args: [file] };
  },
  go(program) {
    const file = join(tools.path, "program");
    buildGoProgram(program, file);
    return { file, args: [] };
  },
};

test("the programs of the guide print the same in every language", async () => {
  const price = "/token-price/v1/price?tokens=coingecko:bitcoin";
  const response = await fetch(gateway.origin + price, { headers: { "x-gateway-key": key } });
  const [first] = ((await response.json()) as { data: { results: { price: number; recorded_at: string }[] } }).data.results;
  const desc = DATA_METHODS.find(({ desc }) => desc.name === "SearchStations")?.desc as DescMethod;
  const listing = { id: "", desc, path: "/radio/v1/search", input: { tag: "pop", has_geo: true } };
  const { names } = await readOverRest(listing, (result) => (result as { readonly name: string }).name);
  expect(names.length).toBeGreaterThan(20);
  for (const [language, prepare] of Object.entries(RUN)) {
    const { file, args } = prepare(programIn(language));
    const { stdout, stderr } = await promisify(execFile)(file, [...args], { cwd: tools.path, env: { ...process.env, KEY: key } });
    const [line = "", ...stations] = stdout.trim().split("\n");
    const [shown, time = ""] = line.split(" ");
    expect({ language, price: Number(shown), time: Date.parse(time), stations: stations.toSorted(), stderr }).toEqual({
      language,
      price: first?.price,
      time: Date.parse(first?.recorded_at ?? ""),
      stations: names,
      stderr: "",
    });
  }
});
