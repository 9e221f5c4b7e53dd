// Requests for the comparison: mostly well formed, odd in one place or another, or with a byte changed.
import fc from "fast-check";

/** Mostly the usual value. */
const mostly = <Value>(usual: Value, ...odd: Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });

const lineEnd = fc.oneof(
  { weight: 60, arbitrary: fc.constant("\r\n") },
  { weight: 1, arbitrary: fc.constantFrom("\n", "\r", "\r\r\n", "\n\r", " \r\n", "\r\n ", "\r\n\t", "") },
);

const method = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("get", "FETCH", "CONNECT", "GE\tT", "M-SEARCH", "", "QUERY", "GET\x00", "POST:", "TRACE"),
  },
);

const target = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("/", "/a/b?c=d", "/%2e/?x=%00&y", "/a?b?c", "http://host/a?b", "//a", "/?") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "*",
      "a",
      "",
      "/a b",
      "/a#b",
      "/é",
      "/\x00",
      "/\x7f",
      "/\t",
      "http://",
      "http:///a",
      "HTTPS://h",
      "ftp://a/b",
      "http://u@h/",
      "http://a b/",
      "host:80",
      '/<>"{}|\\^`',
      "?a",
      "/a\\b",
      "http:/a",
      "http://h:99999999/",
      "#",
    ),
  },
);

const version = mostly(
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/1.2",
  "http/1.1",
  "HTTP/1.1 ",
  "HTTP/11",
  "HTTP/1",
  "",
  "ICE/1.1",
  "RTSP/1.0",
  "HTTP/1.10",
);
const space = mostly(" ", "  ", "\t", "", "\x0b");

const host = mostly(
  "host: a",
  "Host:a:80",
  "host: [::1]:80",
  "host:",
  "host: a b",
  "host : a",
  "host: a/b",
  " host: a",
  "x: y",
  "host: a\r\nhost: a",
  "host: a, b",
  "host: \xe9",
  "host: user@a",
);

const length = (bytes: number): fc.Arbitrary<string> =>
  mostly(
    `content-length: ${bytes}`,
    `Content-Length:${bytes}`,
    `content-length: 0${bytes}`,
    `content-length: ${bytes} `,
    `content-length: +${bytes}`,
    `content-length: -${bytes}`,
    `content-length: ${bytes}, ${bytes}`,
    `content-length: ${bytes}\r\ncontent-length: ${bytes}`,
    `content-length: ${bytes}\r\ncontent-length: ${bytes + 1}`,
    `content-length: 0x${bytes}`,
    `content-length: ${bytes} ${bytes}`,
    "content-length:",
    `content-length : ${bytes}`,
    `content-length: ${bytes}\r\ntransfer-encoding: chunked`,
    `content-length: "${bytes}"`,
    "content-length: 18446744073709551617",
    "content-length: 99999999999999999999",
    `content-length: ${bytes}.0`,
    `content-length: ${bytes}e0`,
    `content-length: 00000000000000000000${bytes}`,
    `content-length: ${bytes}\r\nTransfer-Encoding: identity`,
    `content\tlength: ${bytes}`,
    `content-length: ${bytes}\x0b`,
    `content-length:\t${bytes}`,
    `content-length: \r\n ${bytes}`,
  );

const encoding = mostly(
  "transfer-encoding: chunked",
  "Transfer-Encoding: Chunked",
  "transfer-encoding: chunked, chunked",
  "transfer-encoding: gzip, chunked",
  "transfer-encoding: chunked, gzip",
  "transfer-encoding: identity",
  "transfer-encoding: xchunked",
  "transfer-encoding:chunked",
  "transfer-encoding: \tchunked",
  "transfer-encoding: chunked\r\ntransfer-encoding: chunked",
  "transfer-encoding: chunked\r\ncontent-length: 3",
  "transfer-encoding : chunked",
  "transfer-encoding: chunked;q=1",
  "transfer-encoding: ,chunked",
  "transfer-encoding:",
  "transfer-encoding: chunke",
  "transfer-encoding: \x0bchunked",
  "transfer-encoding: chunked\x00",
  "transfer-encoding:\r\n chunked",
  "transfer_encoding: chunked",
  "transfer-encoding: chunked\r\ntransfer-encoding: identity",
  "transfer-encoding: identity\r\ntransfer-encoding: chunked",
  'transfer-encoding: "chunked"',
);

const extra = fc.constantFrom(
  "a: b",
  "x-key:  v  ",
  "empty:",
  "connection: close",
  "connection: keep-alive",
  "Connection: Close, x",
  "expect: 100-continue",
  "expect: miracles",
  "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk",
  "connection: upgrade\r\nupgrade: websocket",
  "te: trailers",
  "cookie: a\r\ncookie: b",
  "user-agent: a\r\nuser-agent: b",
  "set-cookie: a\r\nset-cookie: b",
  "latin: \xe9\xff",
  "__proto__: 1",
  "constructor: 2",
  "proxy-connection: close",
  "trailer: x",
  "connection: transfer-encoding",
  "connection: content-length",
);
const oddExtra = fc.constantFrom(
  "a : b",
  " a: b",
  "\ta: b",
  ": b",
  "a",
  "a b: c",
  "a: b\r\n c",
  "a: b\r\n\tc",
  "a: \x00",
  "a: \x01b",
  "a: \x7f",
  "a: b\rc",
  "a: b\nc",
  "\xe9: a",
  "a(b): c",
  '"a": b',
  "a:\x0bb",
  "a\x00: b",
  "a: b\x00c",
  "\r",
  "a@b: c",
  "a,b: c",
  "{a}: b",
  "a/b: c",
  "a: b\r\n\r",
  "a: \n b",
);
const extras = fc.array(fc.oneof({ weight: 10, arbitrary: extra }, { weight: 1, arbitrary: oddExtra }), { maxLength: 3 });

const sizeLine = (bytes: number): fc.Arbitrary<string> => {
  const hex = bytes.toString(16);
  return mostly(
    hex,
    hex.toUpperCase(),
    `0${hex}`,
    `000000000000000000${hex}`,
    `${hex};a`,
    `${hex};a=b;c="d"`,
    `${hex} `,
    `${hex};`,
    `${hex}; a`,
    ` ${hex}`,
    `+${hex}`,
    `-${hex}`,
    `0x${hex}`,
    `${hex}g`,
    `${hex};a="b`,
    `${hex};a\x00`,
    `1000000000000000${hex}`,
    `ffffffffffffffff${hex}`,
    "",
    `${hex}\t`,
    `${hex};a=b c`,
    `${hex} ;a=b`,
    `${hex};a= b`,
    `${hex};a="\\""`,
    `${hex};\xe9`,
    `${hex},`,
    `${hex};a=b\rc`,
    `${hex};a;b`,
    `${hex};;a`,
    `${hex};=b`,
    `${hex};a="\\\r"`,
    `${hex};a=""`,
    `${hex};a="b"c`,
    `${hex};a=b"c"`,
  );
};

const chunk = fc
  .tuple(fc.stringMatching(/^[a-z\r\n0]{1,12}$/), lineEnd, lineEnd)
  .chain(([data, end, behind]) => sizeLine(data.length).map((size) => `${size}${end}${data}${behind}`));
const trailers = mostly(
  "",
  "x: y\r\n",
  "content-length: 5\r\n",
  "transfer-encoding: chunked\r\n",
  "host: b\r\n",
  "x : y\r\n",
  " x: y\r\n",
  "x\r\n",
  "x: y\r\n z\r\n",
  "x: \x00\r\n",
  "GET / HTTP/1.1\r\n",
  "grpc-status: 0\r\nx-y:\r\n",
);
const chunks = fc
  .tuple(fc.array(chunk, { maxLength: 3 }), sizeLine(0), lineEnd, trailers, lineEnd)
  .map(([all, last, end, fields, final]) => `${all.join("")}${last}${end}${fields}${final}`);

const bodies = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ header: "", body: "" }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.stringMatching(/^[a-z \r\n]{0,20}$/), fc.boolean())
      .chain(([body]) => length(body.length).map((header) => ({ header, body }))),
  },
  { weight: 3, arbitrary: fc.tuple(encoding, chunks).map(([header, body]) => ({ header, body })) },
);

const request = fc
  .tuple(fc.tuple(method, space, target, space, version), fc.array(lineEnd, { minLength: 8, maxLength: 8 }), host, extras, bodies)
  .map(([line, ends, hostLine, more, { header, body }]) => {
    const lines = [line.join(""), hostLine, ...more, ...(header === "" ? [] : [header])];
    return `${lines.map((one, index) => `${one}${ends[index]}`).join("")}${ends[7]}${body}`;
  });

const mutation = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  kind: fc.constantFrom("replace", "insert", "remove"),
  byte: fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 9, 10, 11, 13, 32, 44, 58, 59)),
});

function mutated(bytes: Buffer, { at, kind, byte }: { at: number; kind: string; byte: number }): Buffer {
  const index = Math.floor(at * bytes.length);
  const removed = kind === "insert" ? 0 : 1;
  const added = kind === "remove" ? [] : [byte];
  return Buffer.concat([bytes.subarray(0, index), Buffer.from(added), bytes.subarray(index + removed)]);
}

/** The bytes of one connection, in the pieces that are sent. */
export const connectionBytes: fc.Arbitrary<Buffer[]> = fc
  .record({
    requests: fc.array(request, { minLength: 1, maxLength: 3 }),
    before: mostly("", "\r\n", "\r\n\r\n", "\n", "\r", " "),
    mutations: fc.oneof(
      { weight: 2, arbitrary: fc.constant<[]>([]) },
      { weight: 1, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 2 }) },
    ),
    cuts: fc.oneof(
      { weight: 3, arbitrary: fc.constant<number[]>([]) },
      { weight: 3, arbitrary: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.constant("each" as const) },
    ),
  })
  .map(({ requests, before, mutations, cuts }) => {
    let bytes: Buffer = Buffer.from(before + requests.join(""), "latin1");
    for (const one of mutations) {
      bytes = mutated(bytes, one);
    }
    const places =
      cuts === "each" ? [...bytes.keys()].slice(1) : cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b);
    return [0, ...places]
      .map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
      .filter(({ length: size }) => size > 0);
  });
