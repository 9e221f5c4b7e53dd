// HTTP/1.1 against node:http: the same bytes, well formed and odd, cut anywhere, and never a request that Node would not have seen too.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectionBytes } from "./requests.ts";
import { answerTo, type Compared, type Outcome, outcomeOf, startNodes, startOurs } from "./servers.ts";

/** What we refuse and Node takes, by our own words for it, and why. */
const STRICTER: Readonly<Record<string, string>> = {
  "The request is not well-formed HTTP/1.1: it must begin with a method such as GET or POST.":
    "Node skips a lone CR or LF before a request. https://www.rfc-editor.org/rfc/rfc9112#section-2.2 allows for CRLF alone.",
  "Each line of the request's head must end in CRLF, and have no CR or LF of its own.": "The same, where the head comes in parts.",
  "The request line must be a method, a target and HTTP/1.1, with one space between them.":
    "Node takes a line without a version for HTTP/0.9, and RTSP and ICE for HTTP.",
  "The request line must say HTTP/1.1 or HTTP/1.0; HTTP/2 begins with its preface, or by ALPN.":
    "Node takes HTTP/0.9 and HTTP/2.0.",
  "The URL must be ASCII without control characters; percent-encode everything else, as UTF-8.":
    "Node takes several spaces between the parts of the line. https://www.rfc-editor.org/rfc/rfc9112#section-3 has one.",
  "The URL must not have a fragment; percent-encode `#` as %23 where it is meant as data.":
    "No form of a target has one: https://www.rfc-editor.org/rfc/rfc9112#section-3.2.",
  "The request's target must be a path that begins with `/`, or a whole URL of http or https.":
    "Node hands on any scheme, an empty authority, and `*` with any method.",
  "The request must name its host, such as `api.example.com` or `127.0.0.1:8080`, in one Host header.":
    "Node looks at no host: https://www.rfc-editor.org/rfc/rfc9112#section-3.2 has a server refuse an invalid one.",
  "The request has more than one Host header; send one.":
    "Node takes the first: https://www.rfc-editor.org/rfc/rfc9112#section-3.2 has a server refuse them.",
  "Content-Length must be one whole number of bytes, in digits alone, and there must be only one such header.":
    "Node takes any number of leading zeros, and lengths that no number of JavaScript's can hold.",
  "A request of HTTP/1.0 must not have a Transfer-Encoding.":
    "Its framing is to be taken for faulty: https://www.rfc-editor.org/rfc/rfc9112#section-6.1.",
  "The only transfer-encoding that is understood is chunked; a compressed body says so in content-encoding.":
    "Node takes any coding before `chunked`, and hands on what it does not decode.",
  "Transfer-Encoding must say chunked once.":
    "Node takes empty members of the list, and `chunked` twice, which https://www.rfc-editor.org/rfc/rfc9112#section-7.1 forbids.",
  "The body's chunks are malformed: each must begin with its size in hexadecimal digits.":
    "Node takes blanks and empty extensions behind the size, and any number of leading zeros.",
  "The body's trailers must be header lines, and none that say what the request is or where it ends.":
    "Node hands on trailers that frame or route: https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1.",
};

/** What Node leaves unanswered behind a request, and why it is answered here. */
const BEHIND_UPGRADE = /(?:^|, )upgrade(?:,|$)/i;
// Where nobody listens for upgrades, Node takes a request that offers one for a usual one, and loses what has come with it in one chunk.
// Who ignores the offer goes on: https://www.rfc-editor.org/rfc/rfc9110#section-7.8
const isBehindUpgrade = (nodes: Outcome): boolean =>
  BEHIND_UPGRADE.test(nodes.seen.at(-1)?.headers.find(([name]) => name === "connection")?.[1] ?? "");

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

test("no request is seen that Node does not see, and each that Node sees alone is refused for a known reason", async () => {
  await fc.assert(
    fc.asyncProperty(connectionBytes, async (pieces) => {
      const [own, theirs] = [await outcomeOf(ours, pieces), await outcomeOf(nodes, pieces)];
      const seenByBoth = own.seen.slice(0, isBehindUpgrade(theirs) ? theirs.seen.length : undefined);
      expect(seenByBoth).toEqual(theirs.seen.slice(0, seenByBoth.length));
      const isStricter = own.seen.length < theirs.seen.length;
      expect(Object.keys(STRICTER)).toContain(isStricter ? own.fault : Object.keys(STRICTER)[0]);
      const handled = own.seen.map((seen) => `200 ${seen.method === "HEAD" ? "" : answerTo(seen)}`.trim());
      expect(own.answers).toEqual(own.fault === undefined ? handled : [...handled, "400"]);
    }),
    { numRuns: 2000 },
  );
  // Thousands of connections, which are seconds, and minutes where others keep the machine busy.
}, 900_000);
