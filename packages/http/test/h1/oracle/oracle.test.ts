// HTTP/1.1 compared with node:http: the same bytes, well formed or odd, cut anywhere, never yield a request that Node does not see too.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blankCases } from "./blanks.ts";
import { connectionBytes } from "./requests.ts";
import { type Compared, type Outcome, outcomeOf, responseTo, startNodes, startOurs } from "./servers.ts";

/** What we refuse and Node accepts, by our error message, and why. */
const STRICTER: Readonly<Record<string, string>> = {
  "The request is not well-formed HTTP/1.1: it must begin with a method such as GET or POST.":
    "Node skips a lone CR or LF before a request. https://www.rfc-editor.org/rfc/rfc9112#section-2.2 allows only CRLF.",
  "Each line of the request's head must end in CRLF, and contain no other CR or LF.": "The same, for a head that arrives in parts.",
  "The request line must be a method, a target and HTTP/1.1, with one space between them.":
    "Node reads a line without a version as HTTP/0.9, and accepts RTSP and ICE as HTTP.",
  "The request line must say HTTP/1.1 or HTTP/1.0; HTTP/2 begins with its preface, or is chosen by ALPN.":
    "Node accepts HTTP/0.9 and HTTP/2.0.",
  "The URL must be ASCII without control characters; percent-encode everything else, as UTF-8.":
    "Node accepts several spaces between the parts of the line. https://www.rfc-editor.org/rfc/rfc9112#section-3 allows one.",
  "The URL must not have a fragment; percent-encode a `#` in the data as %23.":
    "No form of a target has a fragment: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.",
  "The request's target must be a path that begins with `/`, or a complete http or https URL.":
    "Node passes on any scheme, an empty authority, and `*` with any method.",
  "The request must name its host, such as `api.example.com` or `127.0.0.1:8080`, in one Host header.":
    "Node ignores the host: https://www.rfc-editor.org/rfc/rfc9112#section-3.2 tells servers to refuse an invalid one.",
  "The request has more than one Host header; send one.":
    "Node uses the first: https://www.rfc-editor.org/rfc/rfc9112#section-3.2 tells servers to refuse such a request.",
  "Content-Length must be a whole number of bytes, only digits, and sent only once.":
    "Node accepts any number of leading zeros, and lengths that no JavaScript number can hold.",
  "An HTTP/1.0 request must not have a Transfer-Encoding.":
    "Servers must treat its framing as faulty: https://www.rfc-editor.org/rfc/rfc9112#section-6.1.",
  "The only supported transfer-encoding is chunked; declare compression in content-encoding.":
    "Node accepts any coding before `chunked`, and passes on what it does not decode.",
  "Transfer-Encoding must contain chunked exactly once.":
    "Node accepts empty members of the list, and `chunked` twice, which https://www.rfc-editor.org/rfc/rfc9112#section-7.1 forbids.",
  "The body's chunks are malformed: each must begin with its size in hexadecimal digits.":
    "Node accepts spaces and empty extensions after the size, and any number of leading zeros.",
  "The body's trailers must be valid header lines, and must not be headers that define the request or where it ends.":
    "Node passes on trailers that affect framing or routing: https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1.",
};

/** The requests seen and the responses. Which of several faults is found first may depend on where the bytes are cut. */
const framingOf = ({ seen, responses }: Outcome): Pick<Outcome, "seen" | "responses"> => ({ seen, responses });

/** A request after which Node does not respond and we do. */
const BEHIND_UPGRADE = /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i;
// Without a listener for upgrades, Node serves a request that offers one like any other, but loses what followed it in the same chunk.
// A server that ignores the offer must continue: https://www.rfc-editor.org/rfc/rfc9110#section-7.8
const isBehindUpgrade = (nodes: Outcome): boolean =>
  BEHIND_UPGRADE.test(nodes.seen.at(-1)?.headers.find(([name]) => name === "connection")?.[1] ?? "");

// Node keeps a connection of HTTP/1.0 whose request says both `close` and `keep-alive`. We close it, as
// https://www.rfc-editor.org/rfc/rfc9112#section-9.3 says of `close`.
const CLOSES = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const isBehindClose = (own: Outcome): boolean =>
  CLOSES.test(own.seen.at(-1)?.headers.find(([name]) => name === "connection")?.[1] ?? "");

const CLOSE_AND_KEEP_ALIVE = Buffer.from(
  "GET / HTTP/1.0\r\nhost: a\r\nconnection: close, x\r\nconnection: keep-alive\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
);

let ours: Compared;
let nodes: Compared;

beforeAll(async () => {
  ours = await startOurs();
  nodes = await startNodes();
});
afterAll(async () => {
  await ours.close();
  await nodes.close();
});

// Thousands of connections take seconds, or minutes on a busy machine.
const TIMEOUT_MS = 900_000;

/** Sends the pieces to both servers, compares the outcomes, and returns ours. */
async function compare(pieces: readonly Buffer[], name?: string): Promise<Outcome> {
  const [own, theirs] = [await outcomeOf(ours, pieces), await outcomeOf(nodes, pieces)];
  const seenByBoth = own.seen.slice(0, isBehindUpgrade(theirs) ? theirs.seen.length : undefined);
  expect(seenByBoth, name).toEqual(theirs.seen.slice(0, seenByBoth.length));
  const isStricter = own.seen.length < theirs.seen.length && !(own.fault === undefined && isBehindClose(own));
  expect(Object.keys(STRICTER), name).toContain(isStricter ? own.fault : Object.keys(STRICTER)[0]);
  const handled = own.seen.map((seen) => `200 ${seen.method === "HEAD" ? "" : responseTo(seen)}`.trim());
  expect(own.responses, name).toEqual(own.fault === undefined ? handled : [...handled, "400"]);
  return own;
}

test(
  "we see no request that Node does not, and refuse for a known reason each that only Node sees",
  async () => {
    await fc.assert(
      fc.asyncProperty(connectionBytes, async (pieces) => {
        await compare(pieces);
      }),
      { numRuns: 2000, examples: [[[CLOSE_AND_KEEP_ALIVE]]] },
    );
  },
  TIMEOUT_MS,
);

test(
  "the same holds with every kind of whitespace around every framing value, whole and byte by byte",
  async () => {
    for (const { name, bytes } of blankCases) {
      const whole = await compare([bytes], name);
      const inBytes = await compare(
        Array.from(bytes, (byte) => Buffer.of(byte)),
        name,
      );
      expect(framingOf(inBytes), name).toEqual(framingOf(whole));
    }
  },
  TIMEOUT_MS,
);

test(
  "disputed whitespace means the same wherever a request is cut in two",
  async () => {
    for (const { name, bytes } of blankCases.filter(({ blank }) => blank === "tab" || blank === "no-break space")) {
      const whole = framingOf(await outcomeOf(ours, [bytes]));
      for (const at of [...bytes.keys()].slice(1)) {
        expect(framingOf(await outcomeOf(ours, [bytes.subarray(0, at), bytes.subarray(at)])), `${name}, cut at ${at}`).toEqual(
          whole,
        );
      }
    }
  },
  TIMEOUT_MS,
);
