// Well-meant but malformed values: times in units other than seconds or without an offset, and a codec whose plus sign a query string
// decodes to a space.
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { startRadioStandIns } from "../../src/sandbox/stand-ins/radio/stand-ins.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { rawStation } from "../services/radio/raw-row.ts";

const RANGE =
  "must be a time in RFC 3339 format from 2009-01-01T00:00:00Z to 2106-02-07T06:28:15Z, or in Unix seconds from 1230768000 to 4294967295";
const PRICE = "/token-price/v1";
const RPC = "/quintet.tokenprice.v1.TokenPriceService";
const tokens = ["coingecko:bitcoin"];

test("a time in an unsupported form is refused with what it looks like, in every protocol that writes it as a string", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer({ "token-price": "free" });
  const messageOf = async (path: string, body?: object): Promise<unknown> => {
    const headers = { "x-gateway-key": secret, ...(body && { "content-type": "application/json" }) };
    const response = await fetch(
      `${gateway.origin}${path}`,
      body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers },
    );
    return [response.status, ((await response.json()) as { message: string }).message];
  };
  const refused = (field: string, given: string, hint: string) => [400, `${field} ${RANGE}, not ${given}${hint}`];
  const milliseconds = ": looks like milliseconds; give seconds";
  expect([
    await messageOf(`${PRICE}/historical?tokens=coingecko:bitcoin&timestamp=1763726400000`),
    await messageOf(`${PRICE}/historical`, { tokens, timestamp: 1763726400000 }),
    await messageOf(`${PRICE}/historical`, { tokens, timestamp: "1763726400000" }),
    await messageOf(`${PRICE}/chart`, { tokens, start: 1763726400000000 }),
    await messageOf(`${PRICE}/chart?tokens=coingecko:bitcoin&end=1763726400000000000`),
    await messageOf(`${PRICE}/change?tokens=coingecko:bitcoin&timestamp=2025-11-21T12:00:00`),
    await messageOf(`${PRICE}/change?tokens=coingecko:bitcoin&timestamp=2025-11-21T12:00:00+02:00`),
    await messageOf(`${PRICE}/change?tokens=coingecko:bitcoin&timestamp=2005-01-01T00:00:00Z`),
    await messageOf(`${PRICE}/change?tokens=coingecko:bitcoin&timestamp=2099-01-01T00:00:00Z`),
    await messageOf(`${PRICE}/change?tokens=coingecko:bitcoin&timestamp=soon`),
    await messageOf(`${RPC}/GetHistoricalPrices`, { tokens, timestamp: 1763726400000 }),
    await messageOf(`${RPC}/GetPriceCharts`, { tokens, end: "1763726400000" }),
    await messageOf(`${RPC}/GetPriceCharts`, { tokens, end: true }),
  ]).toEqual([
    refused("timestamp", '"1763726400000"', milliseconds),
    refused("timestamp", "1763726400000", milliseconds),
    refused("timestamp", '"1763726400000"', milliseconds),
    refused("start", "1763726400000000", ": looks like microseconds; give seconds"),
    refused("end", '"1763726400000000000"', ": looks like nanoseconds; give seconds"),
    refused("timestamp", '"2025-11-21T12:00:00"', ": needs a date, a time and an offset, such as Z for UTC"),
    refused("timestamp", '"2025-11-21T12:00:00 02:00"', ": in a query, write the plus sign as %2B"),
    refused("timestamp", "2005-01-01T00:00:00Z (1104537600)", ""),
    [400, "timestamp must not be in the future; it is now 2026-11-21T12:00:00Z (1795262400)"],
    refused("timestamp", '"soon"', ""),
    [400, `timestamp ${RANGE}${milliseconds}`],
    [400, `end ${RANGE}${milliseconds}`],
    [400, `end ${RANGE}`],
  ]);
});

test("a time as R writes it, and a list as PHP does, are read alike in every protocol", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer({ "token-price": "free", farkle: "free" });
  const call = async (path: string, body?: string): Promise<string> => {
    const headers = { "x-gateway-key": secret, ...(body !== undefined && { "content-type": "application/json" }) };
    const response = await fetch(`${gateway.origin}${path}`, body === undefined ? { headers } : { method: "POST", headers, body });
    return response.text();
  };
  // In the year 2005: each is refused for the same reason, which repeats the time that was read.
  const times = await Promise.all([
    call(`${PRICE}/historical?tokens=coingecko:bitcoin&timestamp=1.1e%2B09`),
    call(`${PRICE}/historical?tokens=coingecko:bitcoin&timestamp=1.1e+09`),
    call(`${PRICE}/historical`, '{"tokens":["coingecko:bitcoin"],"timestamp":1.1e+09}'),
    call(`${RPC}/GetHistoricalPrices`, '{"tokens":["coingecko:bitcoin"],"timestamp":1.1e+09}'),
  ]);
  expect(times.filter((text) => !text.includes("2004-11-09T11:33:20Z (1100000000)"))).toEqual([]);
  const rolls = await Promise.all(
    ["dice[0]=1&dice[1]=5", "dice%5B0%5D=1&dice%5B1%5D=5", "dice[]=1&dice[]=5"].map((query) => call(`/farkle/v1/score?${query}`)),
  );
  expect(rolls.map((text) => JSON.parse(text).data.score)).toEqual([150, 150, 150]);
});

test("a codec with a plus is found whether or not the query string escapes it", async () => {
  const stations = ["MP3", "AAC", "AAC+"].map((codec, index) =>
    rawStation({ codec, stationuuid: `5a000000-0000-4000-8000-00000000000${index}` }),
  );
  const [mirror] = await startRadioStandIns({
    clock: systemClock,
    count: 1,
    stations,
  });
  const gateway = await startGateway({ variables: { QUINTET_RADIO_MIRRORS: mirror?.origin ?? "" } });
  onTestFinished(async () => {
    await gateway.close();
    await mirror?.close();
  });
  const { secret } = await gateway.makeCustomer({ radio: "free" });
  const codecsFor = async (query: string): Promise<string[]> => {
    const response = await fetch(`${gateway.origin}/radio/v1/search?${query}`, { headers: { "x-gateway-key": secret } });
    const { data } = (await response.json()) as { data: { results: { codec: string }[] } };
    return data.results.map(({ codec }) => codec);
  };
  expect([await codecsFor("codec=AAC+"), await codecsFor("codec=AAC%2B"), await codecsFor("codec=AAC")]).toEqual([
    ["AAC+"],
    ["AAC+"],
    ["AAC"],
  ]);
});
