// Peers at their worst: pipelined streams, half-sent bodies, malformed requests after good ones, resets and closings, generated from a
// seed. The server is the real program in its own process, which an unhandled event would end.
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Running, start } from "../fixtures/program.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

const CONNECTIONS = 240;
// How many of them are open at once.
const CONCURRENT = 8;

type Draw = (below: number) => number;

/** Whole numbers from a seed: mulberry32. */
function drawFrom(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Sandbox extends Running {
  readonly port: number;
  readonly key: string;
}

async function startSandbox(): Promise<Sandbox> {
  const running = start(["sandbox", "--control-port", "0"], {
    QUINTET_PORT: "0",
    QUINTET_DATA_DIR: temporaryDirectory(),
    // Uncaught errors are logged as errors; a slow store on a busy machine is a warning.
    QUINTET_LOG_LEVEL: "error",
  });
  onTestFinished(async () => {
    running.signal("SIGKILL");
    await running.ended;
  });
  const [, port] = await running.until(/serves at http:\/\/127\.0\.0\.1:(\d+)/);
  const [key] = await running.until(/qk_\w+/);
  return { ...running, port: Number(port), key };
}

/** The status of a good call, or why it failed. */
const statusOf = ({ port, key }: Sandbox): Promise<number | string> =>
  fetch(`http://127.0.0.1:${port}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": key } }).then(
    ({ status }) => status,
    () => "no response",
  );

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const framed = (flags: number, text: string, announcedBytes = text.length): Buffer =>
  Buffer.concat([Buffer.from([flags, 0, 0, announcedBytes >> 8, announcedBytes & 255]), Buffer.from(text)]);

const WATCH = "/quintet.tokenprice.v1.TokenPriceService/WatchPrices";
const TOKENS = JSON.stringify({ tokens: ["coingecko:bitcoin"] });

/** Bodies of a streaming call, whole, malformed and cut short. */
const STREAM_BODIES = [
  framed(0, TOKENS),
  framed(7, "abc"),
  framed(0, "{]"),
  framed(0, TOKENS, 60_000),
  framed(1, "not gzip"),
  framed(0, TOKENS).subarray(0, 3),
  Buffer.concat([framed(0, TOKENS), framed(0, TOKENS)]),
  Buffer.alloc(0),
];

const STREAM_TYPES = [
  "application/connect+json",
  "application/connect+proto",
  "application/grpc-web+json",
  "application/grpc+json",
];

function oneOf<Item>(draw: Draw, items: readonly Item[]): Item {
  return items[draw(items.length)] as Item;
}

/** One HTTP/1.1 request, or something that is not one. */
function http1Request(draw: Draw, key: string): Buffer {
  const request = (line: string, headers: readonly string[], body: Uint8Array = Buffer.alloc(0)): Buffer =>
    Buffer.concat([Buffer.from([`${line} HTTP/1.1`, "host: a", `x-gateway-key: ${key}`, ...headers, "", ""].join("\r\n")), body]);
  const body = oneOf(draw, STREAM_BODIES);
  const type = `content-type: ${oneOf(draw, STREAM_TYPES)}`;
  switch (draw(12)) {
    case 0:
    case 1:
      return request(`POST ${WATCH}`, [type, `content-length: ${body.length}`], body);
    case 2:
    case 3:
      return request(`POST ${WATCH}`, [type, `content-length: ${body.length + 500}`], body);
    case 4:
      return request(`POST ${WATCH}`, [type, "transfer-encoding: chunked"], Buffer.from(`${body.length.toString(16)}\r\n`));
    case 5:
      return request(`POST ${WATCH}`, [type, "expect: 100-continue", `content-length: ${body.length}`]);
    case 6:
      return request("GET /token-price/v1/watch?tokens=coingecko:bitcoin", []);
    case 7:
      return request("POST /farkle/v1/score", ["content-type: application/json", "content-length: 100"], Buffer.from("{"));
    case 8:
      return request("CONNECT a:443", []);
    case 9:
      return request("GET /", ["connection: upgrade", "upgrade: websocket"]);
    case 10:
      return request("GET /openapi.json", []);
    default:
      return Buffer.from("GARBAGE\r\n\r\n");
  }
}

async function disturbOverHttp1(draw: Draw, { port, key }: Sandbox): Promise<void> {
  const socket = connectTcp({ host: "127.0.0.1", port, noDelay: true });
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  if (draw(3) > 0) {
    socket.resume();
  }
  const bytes = Buffer.concat(Array.from({ length: 1 + draw(4) }, () => http1Request(draw, key)));
  const cut = draw(2) * draw(bytes.length);
  socket.write(bytes.subarray(0, cut));
  await turns(draw(20));
  socket.write(bytes.subarray(cut));
  await turns(draw(200));
  oneOf(draw, [() => socket.destroy(), () => socket.resetAndDestroy(), () => socket.end()])();
  await turns(draw(100));
  socket.destroy();
  await closed;
}

async function disturbOverHttp2(draw: Draw, { port, key }: Sandbox): Promise<void> {
  const settings = { initialWindowSize: oneOf(draw, [0, 10, 65_535]) };
  const session = connectHttp2(`http://127.0.0.1:${port}`, { settings });
  session.on("error", () => undefined);
  const { socket } = session;
  const closed = new Promise((resolve) => session.once("close", resolve));
  const streams = Array.from({ length: 1 + draw(6) }, () => {
    const isGet = draw(3) === 0;
    const path = isGet ? oneOf(draw, ["/openapi.json", "/token-price/v1/watch?tokens=coingecko:bitcoin", "/nowhere"]) : WATCH;
    const headers = { ":method": isGet ? "GET" : "POST", ":path": path, "x-gateway-key": key };
    const stream = session.request(isGet ? headers : { ...headers, "content-type": oneOf(draw, STREAM_TYPES), te: "trailers" });
    stream.on("error", () => undefined);
    if (!isGet) {
      stream.write(oneOf(draw, STREAM_BODIES));
    }
    return stream;
  });
  await turns(draw(100));
  for (const stream of streams) {
    oneOf(draw, [
      () => stream.close(oneOf(draw, [0, 1, 2, 5, 8, 11])),
      () => stream.destroy(),
      () => stream.end(),
      () => stream.resume(),
      () => undefined,
    ])();
    await turns(draw(10));
  }
  await turns(draw(50));
  oneOf(draw, [
    () => session.destroy(),
    () => session.close(),
    () => session.goaway(2),
    // The session's own socket object cannot be destroyed.
    () => session.destroy(new Error("enough"), 2),
    () => socket.unref(),
  ])();
  await turns(draw(50));
  session.destroy();
  await closed;
}

test.each([1, 2, 3])("no event is unhandled, whatever peers do (seed %i)", async (seed) => {
  const sandbox = await startSandbox();
  const draw = drawFrom(seed);
  let left = CONNECTIONS;
  const disturb = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await (draw(3) === 0 ? disturbOverHttp2 : disturbOverHttp1)(draw, sandbox);
    }
  };
  await Promise.race([
    Promise.all(Array.from({ length: CONCURRENT }, disturb)),
    sandbox.ended.then(({ err }) => expect(err, "the server ended").toBe("")),
  ]);
  expect({ status: await statusOf(sandbox), log: sandbox.printed.err }).toEqual({ status: 200, log: "" });
});

test.each([
  { what: "requesting a tunnel", sent: "CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n" },
  { what: "requesting another protocol", sent: "GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n" },
  { what: "sending what is not HTTP", sent: "GARBAGE\r\n\r\n" },
  { what: "sending nothing", sent: "" },
  { what: "sending half a preface", sent: "PRI * HT" },
  { what: "sending a preface", sent: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
])("a reset after $what is handled", async ({ sent }) => {
  const sandbox = await startSandbox();
  for (let connection = 0; connection < 10; connection += 1) {
    const socket = connectTcp({ host: "127.0.0.1", port: sandbox.port, noDelay: true });
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.write(sent, resolve));
    await new Promise((resolve) => setTimeout(resolve, connection));
    socket.resetAndDestroy();
  }
  expect({ status: await statusOf(sandbox), log: sandbox.printed.err }).toEqual({ status: 200, log: "" });
});

test("closing a customer's stream that has a malformed one and half a body after it crashes nothing", async () => {
  const sandbox = await startSandbox();
  const body = framed(0, TOKENS);
  const call = (bytes: number): Buffer =>
    Buffer.from(
      [
        `POST ${WATCH} HTTP/1.1`,
        "host: a",
        `x-gateway-key: ${sandbox.key}`,
        "content-type: application/connect+json",
        `content-length: ${bytes}`,
        "",
        "",
      ].join("\r\n"),
    );
  const bytes = Buffer.concat([call(body.length), body, call(500), framed(7, "abc"), Buffer.from("d")]);
  for (let connection = 0; connection < 16; connection += 1) {
    const socket = connectTcp({ host: "127.0.0.1", port: sandbox.port, noDelay: true });
    socket.on("error", () => undefined);
    const [closed, responded] = [once(socket, "close"), once(socket, "data")];
    socket.write(bytes);
    await responded;
    // The second response, a refusal, waits for the end of the first.
    await statusOf(sandbox);
    socket.destroy();
    await closed;
  }
  expect({ status: await statusOf(sandbox), log: sandbox.printed.err }).toEqual({ status: 200, log: "" });
});
