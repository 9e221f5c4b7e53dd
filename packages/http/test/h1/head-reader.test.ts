import { describe, expect, test } from "vitest";
import { HeadReader, type RequestHead } from "../../src/h1/head-reader.ts";
import { DEFAULT_LIMITS } from "../../src/limits.ts";

const limits = { ...DEFAULT_LIMITS, urlBytesMax: 256, headerBytesMax: 1024, headersMax: 16 };
const reader = (): HeadReader => new HeadReader(limits);

interface Read {
  readonly head: RequestHead | undefined;
  /** The bytes left unread. */
  readonly rest: string;
}

/** Reads a head from bytes that arrive in pieces of this size. */
function read(text: string, pieceBytes = Number.POSITIVE_INFINITY): Read {
  const bytes = Buffer.from(text, "latin1");
  const heads = reader();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const chunk = bytes.subarray(at, Math.min(bytes.length, at + pieceBytes));
    const head = heads.read(chunk, 0);
    if (head !== undefined) {
      return { head, rest: bytes.toString("latin1", head.fault === undefined ? at + heads.end : bytes.length) };
    }
  }
  return { head: undefined, rest: "" };
}

const PIECES = [Number.POSITIVE_INFINITY, 1, 2, 3, 7, 50];
const withHost = (...lines: string[]): string => ["GET / HTTP/1.1", "Host: a", ...lines, "", ""].join("\r\n");

interface Row {
  readonly sent: string;
  readonly line: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly facts: object;
}

describe("a head", () => {
  test.each<Row>([
    {
      sent: "GET /a%2Fb/?c=d?e HTTP/1.1\r\nHost: a\r\nX-Key:  some value\t \r\n\r\n",
      line: { method: "GET", path: "/a%2Fb/", query: "c=d?e", authority: undefined, minorVersion: 1, fault: undefined },
      headers: { host: "a", "x-key": "some value" },
      facts: { body: 0, saysClose: false, saysKeepAlive: false, expectsContinue: false },
    },
    {
      sent: "\r\n\r\nPOST http://b:80?q HTTP/1.1\r\nhost:a\r\ncontent-length: 007\r\nConnection: x, Close\r\nexpect: 100-Continue\r\n\r\n",
      line: { method: "POST", path: "/", query: "q", authority: "b:80", minorVersion: 1, fault: undefined },
      headers: { host: "a", "content-length": "007", connection: "x, Close", expect: "100-Continue" },
      facts: { body: 7, saysClose: true, saysKeepAlive: false, expectsContinue: true },
    },
    {
      sent: "OPTIONS * HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\n",
      line: { method: "OPTIONS", path: "*", query: "", authority: undefined, minorVersion: 0, fault: undefined },
      headers: { connection: "Keep-Alive" },
      facts: {
        body: 0,
        saysClose: false,
        saysKeepAlive: true,
        expectsContinue: false,
        hostFault: expect.objectContaining({ reason: "MALFORMED_REQUEST" }),
      },
    },
    {
      sent: "PUT / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: Chunked\r\nempty:\r\nlatin: \xe9\r\nexpect: miracles\r\n\r\n",
      line: { method: "PUT", path: "/", query: "", authority: undefined, minorVersion: 1, fault: undefined },
      headers: { host: "a", "transfer-encoding": "Chunked", empty: "", latin: "\xe9", expect: "miracles" },
      facts: { body: "chunked", saysClose: false, saysKeepAlive: false, expectsContinue: false },
    },
    {
      sent: withHost("a: 1", "A: 2", "cookie: c", "Cookie: d", "set-cookie: e", "set-cookie: f", "user-agent: g", "user-agent: h"),
      line: { method: "GET", path: "/", query: "", authority: undefined, minorVersion: 1, fault: undefined },
      headers: { host: "a", a: "1, 2", cookie: "c; d", "set-cookie": "e, f", "user-agent": "g" },
      facts: { body: 0, saysClose: false, saysKeepAlive: false, expectsContinue: false },
    },
    {
      sent: withHost("connection: close\xa0, \x85keep-alive"),
      line: { method: "GET", path: "/", query: "", authority: undefined, minorVersion: 1, fault: undefined },
      headers: { host: "a", connection: "close\xa0, \x85keep-alive" },
      facts: { body: 0, saysClose: false, saysKeepAlive: false, expectsContinue: false },
    },
    {
      sent: withHost("__proto__: 1", "constructor: 2", "toString: 3"),
      line: { method: "GET", path: "/", query: "", authority: undefined, minorVersion: 1, fault: undefined },
      headers: { host: "a", ["__proto__"]: "1", constructor: "2", tostring: "3" },
      facts: { body: 0, saysClose: false, saysKeepAlive: false, expectsContinue: false },
    },
  ])("is read from $sent, however it is cut", ({ sent, line, headers, facts }) => {
    for (const pieceBytes of PIECES) {
      const { head, rest } = read(sent, pieceBytes);
      expect(head).toEqual({
        line,
        block: { headers: expect.anything(), hostFault: undefined, fault: undefined, ...facts },
        fault: undefined,
      });
      expect(Object.entries(head?.block?.headers ?? {})).toEqual(Object.entries(headers));
      expect(rest).toBe("");
    }
  });

  test.each([
    "GET /a?b=c HTTP/1.1",
    "POST /a HTTP/1.1",
    "GET / HTTP/1.0",
    "GET http://a/b HTTP/1.1",
    "GET /a b HTTP/1.1",
    "GET  HTTP/1.1",
    "GET  / HTTP/1.1",
    "GET /a  HTTP/1.1",
    "GET /#a HTTP/1.1",
    "GET /\xe9 HTTP/1.1",
    "GET /\x00 HTTP/1.1",
    "GET /\t HTTP/1.1",
    "GET /\x7f HTTP/1.1",
    "GET /a\rb HTTP/1.1",
    "GET /HTTP/1.1",
    "GET /#HTTP/1.1",
    "GET\t/ HTTP/1.1",
    "GE#T / HTTP/1.1",
    `GET /${"a".repeat(limits.urlBytesMax)} HTTP/1.1`,
  ])("with the same header lines as the one before is read as if it were the first: %j", (line) => {
    const lines = "\r\nHost: a\r\nX-Key: b\r\n\r\n";
    const sent = Buffer.from(line + lines, "latin1");
    const heads = reader();
    heads.read(Buffer.from(`GET / HTTP/1.1${lines}`), 0);
    expect(heads.read(sent, 0)).toEqual(reader().read(sent, 0));
  });

  test("leaves what follows it unread", () => {
    const { head, rest } = read(`${withHost()}GET /next HTTP/1.1\r\n`);
    expect({ path: head?.line?.path, rest }).toEqual({ path: "/", rest: "GET /next HTTP/1.1\r\n" });
  });

  describe("after one with the same header lines", () => {
    const lines = "host: a.example\r\nx-key: 1\r\n\r\n";
    test.each([
      `GET /b?x=1 HTTP/1.1\r\n${lines}`,
      `GET /b HTTP/1.0\r\n${lines}`,
      `POST http://b.example/b HTTP/1.1\r\n${lines}`,
      `\r\n\r\nGET /b HTTP/1.1\r\n${lines}`,
      `GET /b HTTP/1.1\r\n${lines}GET /next HTTP/1.1\r\n${lines}`,
      `GET /b HTTP/1.1\n${lines}`,
      `GET /b HTTP/1.1\r\r\n${lines}`,
      `GET /b\rc HTTP/1.1\r\n${lines}`,
      `GET /b\0 HTTP/1.1\r\n${lines}`,
      `\nGET /b HTTP/1.1\r\n${lines}`,
      `GET /b#c HTTP/1.1\r\n${lines}`,
      `GET /${"b".repeat(limits.urlBytesMax)} HTTP/1.1\r\n${lines}`,
      `GET  HTTP/1.1\r\n${lines}`,
      `FETCH /b HTTP/1.1\r\n${lines}`,
      lines,
      `GET /b HTTP/1.1\r\nx-key: 1\r\n${lines}`,
      `GET /b HTTP/1.1\r\n${lines.replace("1\r", "2\r")}`,
      `GET /b HTTP/1.1\r\n${lines.slice(0, -2)}x-more: 1\r\n\r\n`,
      `GET /b HTTP/1.1\r\n${lines.slice(0, -1)}`,
    ])("%j is read as it would be alone", (sent) => {
      const outcome = (heads: HeadReader, text: string, from: number): object => {
        const head = heads.read(Buffer.from(text), from);
        const isGood = head !== undefined && head.fault === undefined;
        return { head, rest: isGood ? text.slice(heads.end) : undefined, hasStarted: heads.hasStarted };
      };
      const repeating = reader();
      const before = `GET /a HTTP/1.1\r\n${lines}`;
      repeating.read(Buffer.from(before), 0);
      expect(outcome(repeating, before + sent, before.length)).toEqual(outcome(reader(), sent, 0));
    });
  });

  test("begins with the first byte that is not part of a blank line", () => {
    const heads = reader();
    const starts = ["\r", "\n", "\r\n\r", "\n", "G"].map((piece) => [heads.read(Buffer.from(piece), 0), heads.hasStarted]);
    expect(starts).toEqual([false, false, false, false, true].map((isStarted) => [undefined, isStarted]));
    const fault = { reason: "REQUEST_TIMEOUT", message: "It took too long." } as const;
    expect(heads.giveUp(fault)).toEqual({ line: undefined, block: undefined, fault });
  });
});

const METHOD = "The request is not well-formed HTTP/1.1: it must begin with a method such as GET or POST.";
const LINE = "The request line must be a method, a target and HTTP/1.1, with one space between them.";
const VERSION = "The request line must say HTTP/1.1 or HTTP/1.0; HTTP/2 begins with its preface, or is chosen by ALPN.";
const TARGET = "The URL must be ASCII without control characters; percent-encode everything else, as UTF-8.";
const FORM = "The request's target must be a path that begins with `/`, or a complete http or https URL.";
const FRAGMENT = "The URL must not have a fragment; percent-encode a `#` in the data as %23.";
const FIELD =
  "Each header must be one line: a name, immediately followed by a colon, and a value without control characters; each line must end in CRLF.";
const HOST = "The request must name its host, such as `api.example.com` or `127.0.0.1:8080`, in one Host header.";
const LENGTH = "Content-Length must be a whole number of bytes, only digits, and sent only once.";
const BOTH = "The request must not have both Content-Length and Transfer-Encoding.";
const URI_TOO_LONG = "The URL is longer than 256 bytes; send the input in the body of a POST instead.";
const TOO_LARGE = "A request may have at most 16 headers, and at most 1 KiB of them in total.";
const CODING = "The only supported transfer-encoding is chunked; declare compression in content-encoding.";

describe("a head is refused", () => {
  test.each([
    ["GARBAGE\r\n\r\n", METHOD],
    ["get / HTTP/1.1\r\nhost: a\r\n\r\n", METHOD],
    [" GET / HTTP/1.1\r\nhost: a\r\n\r\n", METHOD],
    ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", METHOD],
    ["GET\r\n\r\n", METHOD],
    ["GET /\r\n\r\n", LINE],
    ["GET / \r\nhost: a\r\n\r\n", LINE],
    ["GET / HTTP/1.1 \r\nhost: a\r\n\r\n", LINE],
    ["GET / http/1.1\r\nhost: a\r\n\r\n", LINE],
    ["GET / HTTP/11\r\nhost: a\r\n\r\n", LINE],
    ["GET / HTTP/1.1x\r\nhost: a\r\n\r\n", LINE],
    ["GET / ICE/1.1\r\nhost: a\r\n\r\n", LINE],
    ["GET / HTTP/2.0\r\nhost: a\r\n\r\n", VERSION],
    ["GET / HTTP/0.9\r\nhost: a\r\n\r\n", VERSION],
    ["GET / HTTP/1.2\r\nhost: a\r\n\r\n", VERSION],
    ["GET /a b HTTP/1.1\r\nhost: a\r\n\r\n", TARGET],
    ["GET  / HTTP/1.1\r\nhost: a\r\n\r\n", TARGET],
    ["GET /  HTTP/1.1\r\nhost: a\r\n\r\n", TARGET],
    ["GET /caf\xe9 HTTP/1.1\r\nhost: a\r\n\r\n", TARGET],
    ["GET /a#b HTTP/1.1\r\nhost: a\r\n\r\n", FRAGMENT],
    ["GET * HTTP/1.1\r\nhost: a\r\n\r\n", FORM],
    ["OPTIONS ** HTTP/1.1\r\nhost: a\r\n\r\n", FORM],
    ["GET a.example:80 HTTP/1.1\r\nhost: a\r\n\r\n", FORM],
    ["GET a HTTP/1.1\r\nhost: a\r\n\r\n", FORM],
    ["GET ?a HTTP/1.1\r\nhost: a\r\n\r\n", FORM],
    ["GET http:///a HTTP/1.1\r\nhost: a\r\n\r\n", FORM],
    ["GET ftp://a/ HTTP/1.1\r\nhost: a\r\n\r\n", FORM],
    ["GET http://user@a/ HTTP/1.1\r\nhost: a\r\n\r\n", HOST],
    ["CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n", "This is not a proxy; CONNECT is not supported."],
    ["GET / HTTP/1.1\r\n\r\n", HOST],
    ["GET / HTTP/1.1\r\nhost:\r\n\r\n", HOST],
    ["GET / HTTP/1.1\r\nhost: a/b\r\n\r\n", HOST],
    ["GET / HTTP/1.0\r\nhost: a b\r\n\r\n", HOST],
    [withHost("HOST: a"), "The request has more than one Host header; send one."],
    [withHost("name : value"), FIELD],
    [withHost("name\t: value"), FIELD],
    [withHost(" name: value"), FIELD],
    [withHost("name: value", " folded"), FIELD],
    [withHost("name: value", "\tfolded"), FIELD],
    [withHost(": value"), FIELD],
    [withHost("no colon"), FIELD],
    [withHost("no-colon", "colon: here"), FIELD],
    [withHost("na(me): value"), FIELD],
    [withHost("n\xe4me: value"), FIELD],
    [withHost("content-length: 5", "content-length: 5"), LENGTH],
    [withHost("content-length: 5", "content-length: 6"), LENGTH],
    [withHost("content-length: 5, 5"), LENGTH],
    [withHost("content-length:"), LENGTH],
    [withHost("content-length: +5"), LENGTH],
    [withHost("content-length: -5"), LENGTH],
    [withHost("content-length: 0x5"), LENGTH],
    [withHost("content-length: 5 5"), LENGTH],
    [withHost("content-length: 5.0"), LENGTH],
    [withHost("content-length: 9007199254740992"), LENGTH],
    [withHost("content-length: 18446744073709551616"), LENGTH],
    [withHost("content-length: 5", "transfer-encoding: chunked"), BOTH],
    [withHost("transfer-encoding: chunked", "content-length: 0"), BOTH],
    [withHost("transfer-encoding: identity", "content-length: 5"), BOTH],
    [withHost("transfer-encoding: chunked", "transfer-encoding: chunked"), "Transfer-Encoding must contain chunked exactly once."],
    [withHost("transfer-encoding: chunked, chunked"), "Transfer-Encoding must contain chunked exactly once."],
    [withHost("transfer-encoding: ,chunked"), "Transfer-Encoding must contain chunked exactly once."],
    [withHost("transfer-encoding:"), "Transfer-Encoding must contain chunked exactly once."],
    [withHost("transfer-encoding: gzip, chunked"), CODING],
    [withHost("transfer-encoding: chunked, gzip"), CODING],
    [withHost("transfer-encoding: identity"), CODING],
    [withHost("transfer-encoding: xchunked"), CODING],
    [withHost("transfer-encoding: chunked\t"), "Transfer-Encoding must not have a tab after its value."],
    [withHost("transfer-encoding: chunked\t  "), "Transfer-Encoding must not have a tab after its value."],
    [withHost("transfer-encoding: chunked \t"), "Transfer-Encoding must not have a tab after its value."],
    [withHost("transfer-encoding: chunked\xa0"), CODING],
    [withHost("transfer-encoding: chunked;q=1"), CODING],
    ["POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n", "An HTTP/1.0 request must not have a Transfer-Encoding."],
  ])("%j: %s", (sent, message) => {
    for (const pieceBytes of PIECES) {
      expect(read(sent, pieceBytes).head?.fault?.message).toBe(message);
    }
  });

  test.each([
    { what: "a URL that is a little too long", sent: `GET /${"a".repeat(256)} HTTP/1.1\r\nhost: a\r\n\r\n`, message: URI_TOO_LONG },
    { what: "a URL that is far too long", sent: `GET /${"a".repeat(9000)} HTTP/1.1\r\nhost: a\r\n\r\n`, message: URI_TOO_LONG },
    { what: "a header that is a little too long", sent: withHost(`b: ${"b".repeat(1024 - 5)}`), message: TOO_LARGE },
    { what: "a header that is far too long", sent: withHost(`b: ${"b".repeat(90_000)}`), message: TOO_LARGE },
    { what: "one header too many", sent: withHost(...Array(16).fill("b: 1")), message: TOO_LARGE },
    { what: "endless spaces before a value", sent: withHost(`b:${" ".repeat(9000)}1`), message: TOO_LARGE },
    { what: "endless blank lines", sent: `${"\r\n".repeat(2000)}${withHost()}`, message: TOO_LARGE },
  ])("for $what", ({ sent, message }) => {
    for (const pieceBytes of PIECES) {
      expect(read(sent, pieceBytes).head?.fault?.message).toBe(message);
    }
  });

  test("for a URL that is far too long, with its path, which determines the protocol of the response", () => {
    for (const pieceBytes of PIECES) {
      const { head } = read(`GET /pkg.Service/Method?encoding=json&message=${"a".repeat(9000)}`, pieceBytes);
      expect([head?.fault?.reason, head?.line?.method, head?.line?.path, head?.block]).toEqual([
        "URI_TOO_LONG",
        "GET",
        "/pkg.Service/Method",
        undefined,
      ]);
    }
  });

  // An incomplete head is refused as soon as such a byte arrives, with its own message.
  test.each([
    "GET /\x00 HTTP/1.1\r\nhost: a\r\n\r\n",
    "GET /\x7f HTTP/1.1\r\nhost: a\r\n\r\n",
    "GET / HTTP/1.1\nhost: a\n\n",
    "GET / HTTP/1.1\r\nhost: a\n\r\n",
    "GET / HTTP/1.1\r\nhost: a\r\n\n",
    "\n",
    "\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
    "GET / HTTP/1.1\rhost: a\r\r",
    "GET / HTTP/1.1\r\nhost: a\r\r\n\r\n",
    withHost("a: b\rc"),
    withHost("a: b\nc: d"),
    withHost("a: b\x00"),
    withHost("a: b\x1f"),
    withHost("a: b\x7f"),
    withHost("\x00"),
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  ])("%j, whole or in pieces, as malformed", (sent) => {
    for (const pieceBytes of PIECES) {
      expect(read(sent, pieceBytes).head?.fault?.reason).toBe("MALFORMED_REQUEST");
    }
  });

  test("only beyond the limits", () => {
    const atBound = [
      `GET /${"a".repeat(255)} HTTP/1.1\r\nhost: a\r\n\r\n`,
      withHost(`b: ${"b".repeat(1024 - 6)}`),
      withHost(...Array.from({ length: 15 }, (_, index) => `b${index}: 1`)),
      `UNSUBSCRIBE /${"a".repeat(255)} HTTP/1.1\r\n${Array.from({ length: 16 }, (_, index) => (index === 0 ? "host: a" : `a: ${"b".repeat(index === 1 ? 76 : 66)}`)).join("\r\n")}\r\n\r\n`,
    ];
    for (const sent of atBound) {
      for (const pieceBytes of PIECES) {
        expect(read(sent, pieceBytes).head?.fault).toBeUndefined();
      }
    }
  });

  test("with what could be read of it, so that the error can be sent in the caller's protocol", () => {
    for (const pieceBytes of PIECES) {
      const { head } = read(withHost("content-type: application/grpc-web", `b: ${"b".repeat(9000)}`), pieceBytes);
      expect([head?.line?.path, head?.block?.headers["content-type"]]).toEqual(["/", "application/grpc-web"]);
    }
  });

  test("in time linear in its length", () => {
    const roomy = { ...limits, headerBytesMax: 1_000_000 };
    const hostile = [`a:${" ".repeat(500_000)}\x00`, `a: ${"b ".repeat(250_000)}\x00`, `a: ${"\t".repeat(500_000)}b`];
    // CPU time, because wall time grows on a busy machine.
    const started = process.threadCpuUsage();
    for (const line of hostile) {
      new HeadReader(roomy).read(Buffer.from(withHost(line)), 0);
    }
    expect(process.threadCpuUsage(started).user).toBeLessThan(2_000_000);
  });
});
