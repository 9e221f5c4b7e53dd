// Takes the place of every upstream, as if an attacker had taken it over: its responses are as large as allowed, and as expensive as
// possible to read and to keep.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

const MEBIBYTE = 1024 * 1024;

/** Repeats an item as often as fits into this many bytes. */
function filled(bytes: number, element: (index: number) => string): string {
  const elements: string[] = [];
  for (let length = 0, index = 0; length < bytes; index += 1) {
    const next = element(index);
    elements.push(next);
    length += next.length + 1;
  }
  return elements.join(",");
}

const uuid = (): string => randomUUID();
const station = (tags: string): string =>
  JSON.stringify({ stationuuid: uuid(), name: "x", url: "http://a.example/", tags, lastcheckok: 1, countrycode: "DE" });

/** The responses in place of the directory's stations, by name; each body is built once. */
const RADIO_RESPONSES: Readonly<Record<string, string>> = {
  "one row with 1.1 million tags, in 8 MiB": `[${station(filled(7.8 * MEBIBYTE, (index) => index.toString(36)))}]`,
  "one row with half a million tags, in 4 MiB": `[${station(filled(3.8 * MEBIBYTE, (index) => index.toString(36)))}]`,
  "as many rows as fit into 4 MiB": `[${filled(3.9 * MEBIBYTE, () => station(""))}]`,
  "501 rows of 200 tags": `[${Array.from({ length: 501 }, () => station(filled(800, (index) => index.toString(36).padStart(3, "t")))).join(",")}]`,
  "blanks around every text": `[${Array.from({ length: 40 }, () => station(`a${" ".repeat(90_000)},b`)).join(",")}]`,
  "empty lists": `[${filled(3.9 * MEBIBYTE, () => "[]")}]`,
  depth: "[".repeat(3.9 * MEBIBYTE),
};

const coins = (): string => {
  const coin = (index: number): string => `"ethereum:0x${index.toString(16).padStart(40, "0")}":{"price":1,"timestamp":1}`;
  return `{"coins":{"coingecko:bitcoin":{"price":1,"timestamp":1700000000},${filled(70_000, coin)}}}`;
};
const samples = (ids: readonly string[]): string => {
  const prices = filled(0.15 * MEBIBYTE, (index) => `{"price":1,"timestamp":${index}}`);
  return `{"coins":{${ids.map((id) => `${JSON.stringify(id)}:{"symbol":"${"s".repeat(60)}","prices":[${prices}]}`).join(",")}}}`;
};
const points = (): string =>
  `{"status":"ok","values":[${filled(4.9 * MEBIBYTE, (index) => `{"x":${1_500_000_000 + index},"y":1}`)}]}`;
const tokens = (list: string): string => {
  const seed = list.charCodeAt(list.length - 1);
  const entry = (index: number): string => {
    const address = `0x${(index + seed * 10_000).toString(16).padStart(40, "0")}`;
    const bridges = Object.fromEntries([10, 56, 137].map((chain) => [chain, { tokenAddress: address }]));
    const tokenOf = { chainId: 1, address, name: `N${index}`.padEnd(60, "n"), symbol: `S${index}`, decimals: 18 };
    return JSON.stringify({ ...tokenOf, extensions: { bridgeInfo: bridges } });
  };
  const head = '{"name":"Hostile","timestamp":"2026-11-21T00:00:00Z","version":{"major":1,"minor":0,"patch":0}';
  return `${head},"tokens":[${Array.from({ length: 10_000 }, (_, index) => entry(index)).join(",")}]}`;
};

/** Starts it on a free port of 127.0.0.1 and returns its origin. It ends with the process. */
export async function startHostileServer(): Promise<string> {
  const radio = Object.values(RADIO_RESPONSES).map((body) => gzipSync(body, { level: 1 }));
  const others = new Map<string, Buffer>();
  const created = (name: string, make: () => string): Buffer => {
    const body = others.get(name) ?? gzipSync(make(), { level: 1 });
    others.set(name, body);
    return body;
  };
  let requested = 0;
  const bodyOf = (path: string): Buffer => {
    if (path.startsWith("/json/")) {
      requested += 1;
      return radio[requested % radio.length] as Buffer;
    }
    if (path.startsWith("/chart/")) {
      return created("samples", () => samples(["coingecko:bitcoin"]));
    }
    if (path.startsWith("/prices/")) {
      return created("coins", coins);
    }
    return path.startsWith("/list") ? created(path, () => tokens(path)) : created("points", points);
  };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(bodyOf(request.url ?? "/"));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
