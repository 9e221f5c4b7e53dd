// A stranger's request costs little more than a normal one of its size. Everything here gets its response before admission: at the largest
// allowed size it takes at most three times the CPU time of a normal request of the same size (over HTTP/2, of as few bytes). Framing takes
// at most three times the CPU time of as many bytes of the smallest requests.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FLAG, FRAME, frame } from "../../../packages/http/test/h2/frames.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { costRatio, openMeter } from "./measure.ts";
import { overH1, overH2, type Request, withBlocks } from "./requests.ts";

const RATIO_MAX = 3;
const PATH_LENGTH = 8100;
const VALUE_LENGTH = 16_000;
/** What fits into a connection's header table besides the rest of a request. */
const IN_TABLE_LENGTH = 3700;

const SCORE = "/farkle/v1/score";
const RPC = "/quintet.farkle.v1.FarkleService/Score";
const SESSION = "/account/v1/keys";
const FORM = { method: "HEAD", target: "/openapi.json" };
const CONNECT = { method: "POST", headers: { "content-type": "application/json", "content-length": "0" } };
const PREFLIGHT = { method: "OPTIONS", target: SCORE, headers: { origin: "http://a.example" } };
const COOKIE = { target: SESSION, headers: { cookie: "quintet_session=a" } };

/** A string of the maximum length: `unit` repeated between `start` and `end`. */
interface Text {
  readonly start?: string;
  readonly unit: string;
  readonly end?: string;
}
const filled = ({ start = "", unit, end = "" }: Text, length: number): string =>
  start + unit.repeat(Math.floor((length - start.length - end.length) / unit.length)) + end;
const named = ({ start = "", unit, end = "" }: Text): string => JSON.stringify(`${start}${unit}…${end}`);

interface Row {
  readonly what: string;
  /** The request with a string of this length. */
  readonly request: (length: number) => Request;
  readonly plain: (length: number) => Request;
}

const path = (text: Text, rest: Request = {}): Row => ({
  what: `${rest.method ?? "GET"} with the path ${named(text)}${rest.headers === undefined ? "" : ` and ${Object.keys(rest.headers)[0]}`}`,
  request: (length) => ({ ...rest, target: filled(text, Math.min(length, PATH_LENGTH)) }),
  plain: (length) => ({ ...rest, target: filled({ start: "/", unit: "a" }, Math.min(length, PATH_LENGTH)) }),
});
const query = (text: Text, target: string): Row => ({
  what: `${target} with the query ${named(text)}`,
  request: (length) => ({ target: `${target}?${filled(text, Math.min(length, PATH_LENGTH) - target.length - 1)}` }),
  plain: (length) => ({ target: `${target}?${filled({ unit: "a" }, Math.min(length, PATH_LENGTH) - target.length - 1)}` }),
});
const header = (name: string, text: Text, rest: Request = {}): Row => ({
  what: `${rest.method ?? "GET"} ${rest.target ?? "/livez"} with ${name}: ${named(text)}`,
  request: (length) => ({ ...rest, headers: { ...rest.headers, [name]: filled(text, length) } }),
  plain: (length) => ({ ...rest, headers: { ...rest.headers, "x-plain": filled({ unit: "a" }, length) } }),
});

const PAGE = { headers: { accept: "text/html" } };

const ROWS: readonly Row[] = [
  path({ unit: "/" }),
  path({ unit: "/" }, PAGE),
  path({ unit: "/" }, CONNECT),
  path({ unit: "/" }, { method: "PUT" }),
  path({ start: "/dashboard", unit: "/" }),
  path({ start: "/", unit: "a/" }),
  path({ start: "/", unit: "%41/" }),
  path({ start: "/", unit: "%41" }),
  path({ start: "/", unit: "%2f" }),
  path({ start: "/", unit: "%C3%A9" }),
  path({ start: "/", unit: "%C3%A9", end: ":a" }),
  path({ start: "/", unit: "%" }),
  path({ start: "/", unit: ":" }),
  path({ start: SCORE, unit: ":" }),
  path({ start: "/", unit: "../" }),
  path({ start: "/", unit: "a." }, CONNECT),
  path({ start: "/a.", unit: "a", end: "/" }, CONNECT),
  path({ start: "/a.a/", unit: "a" }, CONNECT),
  query({ unit: "a&" }, RPC),
  query({ unit: "%41=%41&" }, RPC),
  query({ unit: "encoding=&" }, RPC),
  query({ start: "encoding=", unit: "+" }, RPC),
  query({ unit: "a&" }, SCORE),
  header("accept", { unit: "," }, { target: SCORE }),
  header("accept", { unit: "a;q=1," }, { target: SCORE }),
  header("accept", { unit: "x*/*," }, { target: SCORE }),
  header("accept", { start: "*/*", unit: ";" }, { target: SCORE }),
  header("accept", { unit: "," }, { target: "/token-price/v1/watch" }),
  header("accept", { unit: "," }, { target: "/nothing" }),
  header("accept-encoding", { unit: "," }, FORM),
  header("accept-encoding", { unit: "xgzip," }, FORM),
  header("accept-encoding", { start: "br", unit: ";" }, FORM),
  header("if-none-match", { unit: "," }, FORM),
  header("if-none-match", { unit: 'W/"",' }, FORM),
  header("content-type", { start: "application/json", unit: ";charset=utf8" }, { ...CONNECT, target: SCORE }),
  header("content-type", { start: "application/json", unit: ";charset=utf8" }, { ...CONNECT, target: RPC }),
  header("connection", { unit: "," }),
  header("connection", { unit: "xclose," }),
  header("proxy-connection", { unit: " ," }),
  header("cookie", { unit: ";" }, { target: SESSION }),
  header("cookie", { unit: "quintet_session=;" }, { target: SESSION }),
  header("cookie", { unit: "xquintet_session=;" }, { target: SESSION }),
  header("cookie", { start: "a", unit: " ", end: "quintet_session=" }, { target: SESSION }),
  header("authorization", { start: "bearer", unit: " ", end: "a" }, { target: SESSION }),
  header("origin", { start: "http://", unit: "é" }, COOKIE),
  header("origin", { start: "http://", unit: "@" }, COOKIE),
  header("origin", { start: "http://", unit: "xn--a." }, COOKIE),
  header("x-gateway-key", { unit: "a" }, { target: SCORE }),
  header("x-gateway-key", { start: "qk_live_", unit: "," }, { target: SCORE }),
  header("x-forwarded-for", { unit: "," }, { target: SCORE }),
  header("x-forwarded-for", { unit: ",127.0.0.1" }, { target: SCORE }),
  header("x-forwarded-for", { unit: ",[::ffff:7f00:1]:1" }, { target: SCORE }),
  header("x-forwarded-for", { unit: "9" }, FORM),
  header("x-forwarded-client-cert", { unit: "URI=a;" }, FORM),
  header("x-forwarded-client-cert", { unit: "a=;" }, { target: SCORE }),
  header("x-forwarded-client-cert", { unit: "URI=a," }, { target: SCORE }),
  header("x-forwarded-client-cert", { start: 'URI="', unit: "\\\\" }, { target: SCORE }),
  header("x-request-id", { unit: "a" }, { target: SCORE }),
  header("tracestate", { unit: "a=b," }, { target: SCORE }),
  header("user-agent", { unit: "é" }, { target: SCORE }),
  header("expect", { unit: "1" }),
  path({ start: "/mcp", unit: "/" }, CONNECT),
  path({ start: "/docs/", unit: "a." }),
  path({ start: "/app/", unit: "a/" }, PAGE),
  query({ start: "encoding=json&base64=1&message=", unit: "e30" }, RPC),
  query({ start: "encoding=proto&message=", unit: "%20" }, RPC),
  query({ start: "connect=v1&compression=", unit: "g" }, RPC),
  header("host", { unit: "a." }),
  {
    ...header("host", { start: "a:", unit: "0" }),
    // A malformed host ends the connection, so the plain request has one too.
    plain: (length) => ({ headers: { host: "a:000000", "x-plain": filled({ unit: "a" }, length) } }),
  },
  header("te", { unit: "trailers," }, { ...CONNECT, target: RPC }),
  header("grpc-timeout", { unit: "9" }, { ...CONNECT, target: RPC }),
  header("grpc-encoding", { unit: "gzip," }, { ...CONNECT, target: RPC }),
  header("grpc-accept-encoding", { unit: "xgzip," }, { ...CONNECT, target: RPC }),
  header("connect-timeout-ms", { unit: "9" }, { ...CONNECT, target: RPC }),
  header("connect-protocol-version", { unit: "1" }, { ...CONNECT, target: RPC }),
  header("content-encoding", { unit: "gzip," }, { ...CONNECT, target: RPC }),
  header("content-type", { start: "application/grpc-web+", unit: "json;" }, { ...CONNECT, target: RPC }),
  header("content-type", { unit: "a/b," }, { ...CONNECT, target: "/mcp" }),
  header("accept", { unit: "text/event-stream;q=0," }, { ...CONNECT, target: "/mcp" }),
  header("mcp-session-id", { unit: "é" }, { ...CONNECT, target: "/mcp" }),
  header("mcp-protocol-version", { unit: "1" }, { ...CONNECT, target: "/mcp" }),
  header("authorization", { unit: "Bearer " }, { target: SCORE }),
  header("authorization", { unit: "Bearer " }, { ...CONNECT, target: "/mcp" }),
  header("access-control-request-headers", { unit: "a," }, PREFLIGHT),
  header("access-control-request-headers", { unit: ", " }, PREFLIGHT),
  header("access-control-request-method", { unit: "GET," }, PREFLIGHT),
  header("origin", { start: "http://", unit: "a." }, PREFLIGHT),
  header("idempotency-key", { unit: '"' }, { target: SESSION }),
  header("if-modified-since", { unit: "Mon, " }, FORM),
  header("range", { start: "bytes=", unit: "0-," }, FORM),
  header("accept-language", { unit: "de;q=0.1," }, PAGE),
  header("sec-fetch-site", { unit: "same-origin," }, COOKIE),
  header("traceparent", { unit: "00-" }, { target: SCORE }),
  header("baggage", { unit: "a=b," }, { target: SCORE }),
  header("forwarded", { unit: "for=127.0.0.1," }, { target: SCORE }),
  header("x-forwarded-proto", { unit: "https," }, { target: SCORE }),
  header("x-forwarded-host", { unit: "a," }, { target: SCORE }),
  header("x-real-ip", { unit: "1." }, { target: SCORE }),
  header("upgrade", { unit: "h2c," }),
  header("priority", { unit: "u=1," }),
];

let gateway: Gateway;
let key: string;

beforeAll(async () => {
  const plan = { name: "free", callsPerMonth: 10_000_000, requestsPerSecond: 100_000 };
  gateway = await startGateway({
    plans: { farkle: [plan], radio: [plan], "token-price": [plan] },
    variables: {
      QUINTET_TRUSTED_PROXIES: "127.0.0.0/8",
      QUINTET_FORWARDED_CLIENT_CERT: "on",
    },
  });
  key = (await gateway.makeCustomer({ farkle: "free", radio: "free", "token-price": "free" })).secret;
});
afterAll(() => gateway.close());

describe("a request over HTTP/1.1 costs little more than a plain one of its size", () => {
  test.for(ROWS)("$what", async ({ request, plain }) => {
    const [largest, other] = [overH1(request(VALUE_LENGTH)), overH1(plain(VALUE_LENGTH))];
    expect(await costRatio(openMeter(gateway.port), largest, other, "request", RATIO_MAX)).toBeLessThanOrEqual(RATIO_MAX);
  });
});

describe("a request over HTTP/2 from the connection's header table costs little more than a plain one", () => {
  const rows = ROWS.filter(({ what }) => !what.includes("connection:"));
  test.for(rows)("$what", async ({ request, plain }) => {
    const [largest, other] = [overH2(withoutLength(request(IN_TABLE_LENGTH))), overH2(withoutLength(plain(40)))];
    expect(await costRatio(openMeter(gateway.port), largest, other, "request", RATIO_MAX)).toBeLessThanOrEqual(RATIO_MAX);
  });
});

const withoutLength = ({ headers: { "content-length": _, ...headers } = {}, ...rest }: Request): Request => ({ ...rest, headers });

describe("a misspelt name costs little more than one that is too long to be a typo", () => {
  test.for([
    { target: "/token-lisx/v1/tokenx/seaxch" },
    { target: `/${"ab/".repeat(20)}` },
    { target: "/quintet.account.v1.AccounxService/RequestSubscripxionxyzzy", ...CONNECT },
    { target: "/quintet.farkle.v2.FarkleServixe/Scorx", ...CONNECT },
  ])("$target", async (request) => {
    const plain = { ...request, target: `/${"a".repeat(70)}.a/a` };
    const ratio = await costRatio(openMeter(gateway.port), overH1(request), overH1(plain), "request", RATIO_MAX);
    expect(ratio).toBeLessThanOrEqual(RATIO_MAX);
  });
});

describe("a compressed message costs little more than a short one that is refused, whatever it decompresses to", () => {
  // 130,500 unknown fields, and 260,880 dice.
  const unknown = gzipSync(Buffer.alloc(261_000, Buffer.from([0x78, 0x01])), { level: 9 });
  const packed = gzipSync(Buffer.concat([Buffer.from([0x0a, 0x90, 0xf6, 0x0f]), Buffer.alloc(260_880, 1)]), { level: 9 });
  const nested = gzipSync(Buffer.from(`{"dice":[${"[".repeat(130_000)}`), { level: 9 });
  const letters = gzipSync(Buffer.from(`{"name":"${"a".repeat(250_000)}"}`), { level: 9 });
  const framed = (flags: number, message: Buffer): Buffer => {
    const head = Buffer.alloc(5, flags);
    head.writeUInt32BE(message.length, 1);
    return Buffer.concat([head, message]);
  };
  const call = (target: string, type: string, body: Buffer, encoding: Readonly<Record<string, string>> = {}): Request => {
    const headers = { "x-gateway-key": key, "content-type": type, "content-length": `${body.length}`, ...encoding };
    return { method: "POST", target, headers, body: body.toString("latin1") };
  };
  const SEARCH = "/quintet.radio.v1.RadioService/SearchStations";
  const WATCH = "/quintet.tokenprice.v1.TokenPriceService/WatchPrices";
  const gzip = { "content-encoding": "gzip" };
  // Each ends with a missing value.
  const shortBinary = gzipSync(Buffer.from([0x0a]));
  const shortJson = gzipSync(Buffer.from("{"));

  test.for([
    { what: "unknown fields, in Connect", target: RPC, type: "application/proto", message: unknown },
    { what: "packed numbers, in Connect", target: RPC, type: "application/proto", message: packed },
    { what: "nested JSON, in Connect", target: RPC, type: "application/json", message: nested },
    { what: "nested JSON, in REST", target: SCORE, type: "application/json", message: nested },
    { what: "unknown fields, with long strings", target: SEARCH, type: "application/proto", message: unknown },
    { what: "a long string", target: SEARCH, type: "application/json", message: letters },
  ])("$what", async ({ target, type, message }) => {
    const plain = overH1(call(target, type, type.endsWith("json") ? shortJson : shortBinary, gzip));
    const ratio = await costRatio(openMeter(gateway.port), overH1(call(target, type, message, gzip)), plain, "request", RATIO_MAX);
    expect(ratio).toBeLessThanOrEqual(RATIO_MAX);
  });

  test("unknown fields, in a stream", async () => {
    const encoding = { "connect-content-encoding": "gzip" };
    const largest = overH1(call(WATCH, "application/connect+proto", framed(1, unknown), encoding));
    const plain = overH1(call(WATCH, "application/connect+proto", framed(0, Buffer.alloc(0))));
    expect(await costRatio(openMeter(gateway.port), largest, plain, "request", RATIO_MAX)).toBeLessThanOrEqual(RATIO_MAX);
  });
});

describe("a document costs a few times what the smallest one does, however it is coded", () => {
  // The largest, uncompressed, has a megabyte: copying it to the socket takes this much.
  const MEGABYTE_RATIO_MAX = 20;
  const TARGETS = [
    "/openapi.json",
    "/descriptors.binpb",
    "/protos.zip",
    "/grpc-service-config.json",
    "/docs",
    "/reference",
    "/llms.txt",
    "/sitemap.xml",
    "/robots.txt",
  ];
  const rows = TARGETS.flatMap((target) => ["identity", "gzip", "br"].map((coding) => ({ target, coding })));
  test.for(rows)("$target, $coding", async ({ target, coding }) => {
    const headers = { "accept-encoding": coding };
    // Each is compressed once, when it is first requested.
    const { status } = await fetch(`${gateway.origin}${target}`, { headers });
    const max = target === "/openapi.json" && coding === "identity" ? MEGABYTE_RATIO_MAX : 2 * RATIO_MAX;
    const [document, smallest] = [overH1({ target, headers }, 10), overH1({ target: "/version" }, 10)];
    expect([status, await costRatio(openMeter(gateway.port), document, smallest, "request", max)]).toEqual([
      200,
      expect.toSatisfy((ratio: number) => ratio <= max, `at most ${max}`),
    ]);
  });
});

describe("framing costs little more than as many bytes of small requests", () => {
  const chunked = (body: string): Request => ({ method: "POST", target: SCORE, headers: { "transfer-encoding": "chunked" }, body });
  const times = (count: number, bytes: Uint8Array): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));
  const missing = { target: "/nothing" };
  const none = Buffer.alloc(0);

  test.for([
    { what: "chunks of one byte", batch: overH1(chunked(`${"1\r\na\r\n".repeat(2600)}0\r\n\r\n`)) },
    { what: "chunks with extensions", batch: overH1(chunked(`${"1;a=b;c\r\na\r\n".repeat(400)}0\r\n\r\n`)) },
    { what: "trailers", batch: overH1(chunked(`0\r\n${"a: b\r\n".repeat(90)}\r\n`)) },
    { what: "blank lines", batch: overH1({ body: "\r\n".repeat(1000) }) },
  ])("$what", async ({ batch }) => {
    expect(await costRatio(openMeter(gateway.port), batch, overH1(missing), "byte", RATIO_MAX)).toBeLessThanOrEqual(RATIO_MAX);
  });

  test.for([
    { what: "PINGs", batch: overH2(missing, () => times(10, frame(FRAME.PING, 0, 0, Buffer.alloc(8)))) },
    { what: "SETTINGS", batch: overH2(missing, () => times(5, frame(FRAME.SETTINGS, 0, 0))) },
    { what: "PRIORITYs", batch: overH2(missing, (id) => times(10, frame(FRAME.PRIORITY, 0, id, Buffer.alloc(5, 1)))) },
    {
      what: "WINDOW_UPDATEs",
      batch: overH2(missing, () => times(10, frame(FRAME.WINDOW_UPDATE, 0, 0, Buffer.from([0, 0, 0, 1])))),
    },
    { what: "frames of an unknown type", batch: overH2(missing, () => times(10, frame(0xbe, FLAG.ACK, 0))) },
    {
      what: "table sizes",
      batch: withBlocks(missing, Buffer.concat([times(1000, Buffer.from([0x20])), Buffer.from([0x3f, 0xe1, 0x1f])]), none),
    },
    { what: "entries for the header table", batch: withBlocks(missing, none, times(90, Buffer.from([0x40, 1, 0x78, 1, 0x79]))) },
    { what: "headers by their index", batch: withBlocks(missing, none, times(4000, Buffer.from([0x90]))) },
    {
      what: "Huffman codes",
      batch: withBlocks(missing, none, Buffer.concat([Buffer.from([0x00, 1, 0x78, 0xff, 0xa1, 0x37]), Buffer.alloc(7200, 0x52)])),
    },
  ])("$what", async ({ batch }) => {
    expect(await costRatio(openMeter(gateway.port), batch, overH2(missing), "byte", RATIO_MAX)).toBeLessThanOrEqual(RATIO_MAX);
  });
});
