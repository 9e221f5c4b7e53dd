// Requests with whitespace, or a similar byte, at each place of each header value that determines where a request ends or what happens to
// its connection. Each is followed by another request, which a server sees only if it found the end of the first.

/** Bytes that some server treats as whitespace, by name. */
const BLANKS: Readonly<Record<string, string>> = {
  space: " ",
  "two spaces": "  ",
  tab: "\t",
  "space and tab": " \t",
  "tab and space": "\t ",
  "vertical tab": "\x0b",
  "form feed": "\x0c",
  CR: "\r",
  LF: "\n",
  CRLF: "\r\n",
  "CRLF and space": "\r\n ",
  "CRLF and tab": "\r\n\t",
  NUL: "\x00",
  backspace: "\x08",
  "file separator": "\x1c",
  "unit separator": "\x1f",
  DEL: "\x7f",
  "next line": "\x85",
  "no-break space": "\xa0",
  "no-break space in UTF-8": "\xc2\xa0",
  "byte order mark in UTF-8": "\xef\xbb\xbf",
  "ideographic space in UTF-8": "\xe3\x80\x80",
  "byte 255": "\xff",
};

/** A placeholder for the blank. */
const HERE = "_";
const NEXT = "GET /next HTTP/1.1\r\nhost: a\r\n\r\n";
const CHUNKS = "3\r\nabc\r\n0\r\n\r\n";

const head = (lines: string, body = "", method = "POST"): string => `${method} / HTTP/1.1\r\nhost: a\r\n${lines}\r\n\r\n${body}`;

/** Header lines with the place before, inside and after the name, before, inside and after each word of the value, and around commas. */
const around = (name: string, value: string): string[] => {
  const half = (text: string): string => `${text.slice(0, text.length / 2)}${HERE}${text.slice(text.length / 2)}`;
  return [
    `${HERE}${name}: ${value}`,
    `${half(name)}: ${value}`,
    `${name}${HERE}: ${value}`,
    `${name}:${HERE}${value}`,
    `${name}: ${half(value)}`,
    `${name}: ${value}${HERE}`,
    `${name}:${HERE}`,
    `${name}: ${value},${HERE}${value}`,
    `${name}: ${value}${HERE},${value}`,
    `${name}: ${value}${HERE}${value}`,
    `${name}: x,${HERE}${value}`,
    `${name}: ${value}${HERE},x`,
  ];
};

const TEMPLATES: readonly string[] = [
  ...around("Transfer-Encoding", "chunked").flatMap((line) => [head(line, CHUNKS), head(line, CHUNKS, "GET")]),
  ...around("Content-Length", "3").map((line) => head(line, "abc")),
  ...around("Connection", "close").map((line) => head(line, "", "GET")),
  ...around("Connection", "keep-alive").map((line) => head(line, "", "GET").replace("HTTP/1.1", "HTTP/1.0")),
  ...around("Connection", "upgrade").map((line) => head(`${line}\r\nupgrade: websocket`, "", "GET")),
  ...around("Upgrade", "websocket").map((line) => head(`connection: upgrade\r\n${line}`, "", "GET")),
  ...around("Proxy-Connection", "close").map((line) => head(line, "", "GET")),
  ...around("Expect", "100-continue").map((line) => head(`${line}\r\ncontent-length: 3`, "abc")),
  ...around("Host", "a").map((line) => head(line, "", "GET").replace("host: a\r\n", "")),
  ...around("Trailer", "x").map((line) => head(`${line}\r\ntransfer-encoding: chunked`, CHUNKS)),
  ...around("TE", "trailers").map((line) => head(line, "", "GET")),
  ...[
    `${HERE}GET / HTTP/1.1`,
    `GET${HERE}/ HTTP/1.1`,
    `GET /${HERE}HTTP/1.1`,
    `GET /${HERE} HTTP/1.1`,
    `GET / HTTP/1.1${HERE}`,
  ].map((line) => `${line}\r\nhost: a\r\n\r\n`),
  ...[
    `${HERE}3\r\nabc\r\n0\r\n\r\n`,
    `3${HERE}\r\nabc\r\n0\r\n\r\n`,
    `0${HERE}3\r\nabc\r\n0\r\n\r\n`,
    `3\r\nabc${HERE}\r\n0\r\n\r\n`,
    `3\r\nabc\r\n${HERE}0\r\n\r\n`,
    `3\r\nabc\r\n0${HERE}\r\n\r\n`,
    `3\r\nabc\r\n0\r\n${HERE}\r\n`,
    `3${HERE};a=b\r\nabc\r\n0\r\n\r\n`,
    `3;${HERE}a=b\r\nabc\r\n0\r\n\r\n`,
    `3;a${HERE}=b\r\nabc\r\n0\r\n\r\n`,
    `3;a=${HERE}b\r\nabc\r\n0\r\n\r\n`,
    `3;a=b${HERE}\r\nabc\r\n0\r\n\r\n`,
    `3;a="${HERE}"\r\nabc\r\n0\r\n\r\n`,
    `3;a="\\${HERE}"\r\nabc\r\n0\r\n\r\n`,
    `3;a="b"${HERE}\r\nabc\r\n0\r\n\r\n`,
    `3;a=b${HERE};c\r\nabc\r\n0\r\n\r\n`,
    `3\r\nabc\r\n0;a${HERE}\r\n\r\n`,
    ...around("x-t", "y").map((line) => `3\r\nabc\r\n0\r\n${line}\r\n\r\n`),
    ...around("Content-Length", "3").map((line) => `3\r\nabc\r\n0\r\n${line}\r\n\r\n`),
  ].map((body) => head("transfer-encoding: chunked", body)),
];

/** One such request. */
export interface BlankCase {
  readonly name: string;
  readonly blank: string;
  readonly bytes: Buffer;
}

/** Each blank at each place. */
export const blankCases: readonly BlankCase[] = TEMPLATES.flatMap((template) =>
  Object.entries(BLANKS).map(([blank, text]) => ({
    name: `${blank} in ${JSON.stringify(template)}`,
    blank,
    bytes: Buffer.from(template.replace(HERE, text) + NEXT, "latin1"),
  })),
);
