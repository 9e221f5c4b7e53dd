// One head gets one answer, over HTTP/1.1 and over HTTP/2: the handler sees the same, or the caller reads why not. What only one of the two
// can say, or may refuse, is listed with the reason.
import { expect, test } from "vitest";
import type { RequestHandler } from "../src/exchange.ts";
import { FLAG, FRAME, frame } from "./h2/frames.ts";
import { encodeFields, type Fields, openPeer } from "./h2/peer.ts";
import { dial, listening, until } from "./listening.ts";

interface Head {
  readonly what: string;
  readonly method?: string;
  readonly path?: string;
  readonly fields?: Fields;
  /** What both answer: the headers that the handler sees, apart from the host, or the fault's reason. */
  readonly answer: Readonly<Record<string, string>> | string;
  /** What HTTP/1.1 answers instead, and why. */
  readonly http1?: readonly [answer: Head["answer"], why: string];
}

const MALFORMED = "MALFORMED_REQUEST";
const KEY = "qk_live_1234";
const FRAMES_ONE_CONNECTION = "HTTP/1.1 has it, for one connection; RFC 9113, section 8.2.2, forbids it";
const many = (count: number): Fields => Array.from({ length: count }, (_, index) => [`x-${index}`, "1"] as const);

const HEADS: readonly Head[] = [
  ...[
    ["a space after it", `${KEY} `],
    ["a tab after it", `${KEY}\t`],
    ["blanks around it", ` \t ${KEY} \t `],
  ].map(([what, value]) => ({
    what: `a key with ${what}`,
    fields: [["x-gateway-key", value]] as Fields,
    answer: { "x-gateway-key": KEY },
  })),
  { what: "a value of blanks alone", fields: [["x-a", " \t "]], answer: { "x-a": "" } },
  { what: "an empty value", fields: [["x-a", ""]], answer: { "x-a": "" } },
  { what: "blanks inside a value", fields: [["x-a", "a \t b"]], answer: { "x-a": "a \t b" } },
  { what: "a no-break space at its end", fields: [["x-a", "a\xa0"]], answer: { "x-a": "a\xa0" } },
  { what: "a blank after the length", fields: [["content-length", "0 "]], answer: { "content-length": "0" } },
  ...["\0", "\n", "\r", "\x1b", "\x7f", "a\r\nb: c"].map((value) => ({
    what: `a value with the control character ${JSON.stringify(value)}`,
    fields: [["x-a", `1${value}2`]] as Fields,
    answer: MALFORMED,
    ...(value.length > 1 && { http1: [{ "x-a": "1a", b: "c2" }, "these are two lines there"] as const }),
  })),
  ...["", "a b", "a:b", "a\0", "\xe4", "a\t", "(a)"].map((name) => ({
    what: `the name ${JSON.stringify(name)}`,
    fields: [[name, "1"]] as Fields,
    answer: MALFORMED,
    ...(name === "a:b" && { http1: [{ a: "b:1" }, "the first colon ends the name there"] as const }),
  })),
  {
    what: "a name in upper case",
    fields: [["X-A", "1"]],
    answer: MALFORMED,
    http1: [{ "x-a": "1" }, "names have no case there; RFC 9113, section 8.2.1, forbids it"],
  },
  ...["constructor", "__proto__"].map((name) => ({
    what: `the name ${name}`,
    fields: [[name, "1"]] as Fields,
    answer: Object.fromEntries([[name, "1"]]),
  })),
  { what: "te: trailers", fields: [["te", "Trailers"]], answer: { te: "Trailers" } },
  { what: "te: gzip", fields: [["te", "gzip"]], answer: MALFORMED, http1: [{ te: "gzip" }, FRAMES_ONE_CONNECTION] },
  ...(
    [
      ["connection", "x-a"],
      ["keep-alive", "timeout=1"],
      ["proxy-connection", "keep-alive"],
      ["upgrade", "h2c"],
    ] as const
  ).map(([name, value]) => ({
    what: name,
    fields: [[name, value]] as Fields,
    answer: MALFORMED,
    http1: [{ [name]: value }, FRAMES_ONE_CONNECTION] as const,
  })),
  {
    what: "transfer-encoding",
    fields: [["transfer-encoding", "gzip"]],
    answer: MALFORMED,
    http1: ["TRANSFER_ENCODING_UNKNOWN", FRAMES_ONE_CONNECTION],
  },
  ...["", "+1", "-1", "1.5", "0x1", "1,1", "9".repeat(16), "9".repeat(17)].map((value) => ({
    what: `the length ${JSON.stringify(value)}`,
    fields: [["content-length", value]] as Fields,
    answer: MALFORMED,
  })),
  ...["0", "1"].map((second) => ({
    what: `the lengths 0 and ${second}`,
    fields: [
      ["content-length", "0"],
      ["content-length", second],
    ] as Fields,
    answer: MALFORMED,
  })),
  ...(
    [
      ["authorization", "1"],
      ["content-type", "1"],
      ["user-agent", "1"],
      ["accept", "1, 2"],
      ["content-encoding", "1, 2"],
      ["date", "1, 2"],
      ["if-none-match", "1, 2"],
      ["range", "1, 2"],
      ["x-gateway-key", "1, 2"],
      ["cookie", "1; 2"],
    ] as const
  ).map(([name, answer]) => ({
    what: `${name} twice`,
    fields: [
      [name, "1"],
      [name, "2"],
    ] as Fields,
    answer: { [name]: answer },
  })),
  { what: "a host twice", fields: [["host", "a"]], answer: MALFORMED },
  { what: "the most headers", fields: many(99), answer: Object.fromEntries(many(99)) },
  { what: "too many headers", fields: many(101), answer: "HEADERS_TOO_LARGE" },
  { what: "a value that is too large", fields: [["x-a", "b".repeat(17_000)]], answer: "HEADERS_TOO_LARGE" },
  ...["/ b", "/\t", "/\xe9", "/a#b", "/\x7f", "/\0"].map((path) => ({
    what: `the path ${JSON.stringify(path)}`,
    path,
    answer: MALFORMED,
  })),
  ...["", "a", "?a=b"].map((path) => ({ what: `the path ${JSON.stringify(path)}`, path, answer: MALFORMED })),
  { what: "a whole URL as the path", path: "http://a/", answer: MALFORMED, http1: [{}, "RFC 9112, section 3.2.2, demands it"] },
  { what: "a path that is too long", path: `/${"a".repeat(9000)}`, answer: "URI_TOO_LONG" },
  { what: "* for GET", path: "*", answer: MALFORMED },
  { what: "* for OPTIONS", method: "OPTIONS", path: "*", answer: {} },
  ...["", "GE T", "G\0T", "(GET)", "GET "].map((method) => ({
    what: `the method ${JSON.stringify(method)}`,
    method,
    answer: MALFORMED,
  })),
  {
    what: "a method that nobody has heard of",
    method: "GETT",
    answer: {},
    http1: [MALFORMED, "whoever sends it most likely speaks no HTTP"],
  },
];

/** Answers with the headers that a handler sees. */
const seen: RequestHandler = (exchange) => {
  const { host: _, ...headers } = exchange.headers;
  exchange.respond(200, {}, JSON.stringify(headers));
};

const answerOf = (status: number, body: string): Head["answer"] => (status === 200 ? JSON.parse(body) : (body.split(":")[0] ?? ""));

async function overHttp1(port: number, { method = "GET", path = "/", fields = [] }: Head): Promise<Head["answer"]> {
  const peer = await dial(port);
  peer.send(
    Buffer.from(
      `${method} ${path} HTTP/1.1\r\nhost: a\r\n${fields.map(([name, value]) => `${name}:${value}\r\n`).join("")}\r\n`,
      "latin1",
    ),
  );
  await until(() => /\r\n\r\n./s.test(peer.received()));
  const [head = ""] = peer.received().split("\r\n\r\n");
  const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
  await until(() => peer.received().length >= head.length + 4 + length);
  return answerOf(Number(head.slice(9, 12)), Buffer.from(peer.received().slice(head.length + 4), "latin1").toString());
}

async function overHttp2(port: number, head: Head): Promise<Head["answer"]> {
  const { method = "GET", path = "/", fields = [] } = head;
  const peer = await openPeer(port);
  const block = encodeFields([[":method", method], [":scheme", "http"], [":path", path], ["host", "a"], ...fields]);
  const pieces = Array.from({ length: Math.ceil(block.length / 16_384) }, (_, index) =>
    block.subarray(16_384 * index, 16_384 * (index + 1)),
  );
  peer.send(
    ...pieces.map((piece, index) =>
      frame(
        index === 0 ? FRAME.HEADERS : FRAME.CONTINUATION,
        (index === 0 ? FLAG.END_STREAM : 0) | (index === pieces.length - 1 ? FLAG.END_HEADERS : 0),
        1,
        piece,
      ),
    ),
  );
  await until(() => peer.isClosed || peer.hasEnded(1));
  await peer.settled();
  const status = Number(peer.headsOf(1)[0]?.[0]?.slice(-3));
  const answer = answerOf(status, peer.bodyOf(1).toString("utf8"));
  // Whatever is wrong with one head, the connection stays. https://www.rfc-editor.org/rfc/rfc9113#section-8.1.1
  expect({ goaway: peer.goaway, isReset: status === 200 && peer.resetOf(1) !== undefined }).toEqual({
    goaway: undefined,
    isReset: false,
  });
  return answer;
}

test.each(HEADS)("$what", async (head) => {
  const { port } = await listening(seen);
  const [one, two] = await Promise.all([overHttp1(port, head), overHttp2(port, head)]);
  expect({ one, two }).toEqual({ one: head.http1?.[0] ?? head.answer, two: head.answer });
});
