// A document of ours, such as /openapi.json. It is compressed once in each coding, when somebody first asks for it. It has a strong ETag, so
// a caller who has it already gets a short 304. https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Exchange } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import { corsHeaders } from "./cors.ts";
import { encodingWeight } from "./media-type.ts";

/** Answers GET and HEAD requests; needs no key. */
export type Document = (exchange: Exchange) => void;

interface Representation {
  readonly body: Uint8Array;
  readonly headers: ResponseHeaders;
  readonly etag: string;
}

// It changes only with a new version of the server. A minute is enough for a page that loads it again and again.
const CACHE_CONTROL = "public, max-age=60";
// Quality 5 takes 11 ms for 400 KB and leaves 29 KB; 11 takes half a second and leaves 24 KB.
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 9;

const COMPRESSORS = {
  br: (body: Uint8Array) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body: Uint8Array) => gzipSync(body, { level: GZIP_LEVEL }),
  identity: (body: Uint8Array) => body,
} as const;
type Coding = keyof typeof COMPRESSORS;
// Where a caller gives several the same weight, the first of them is chosen: it compresses best.
const CODINGS: readonly Coding[] = ["br", "gzip", "identity"];

/** Makes a document. */
export function createDocument(contentType: string, body: Uint8Array): Document {
  const made = new Map<Coding, Representation>();
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  const represent = (coding: Coding): Representation => {
    let representation = made.get(coding);
    if (representation === undefined) {
      const etag = coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`;
      const headers = { "content-type": contentType, ...(coding !== "identity" && { "content-encoding": coding }) };
      representation = { body: COMPRESSORS[coding](body), headers, etag };
      made.set(coding, representation);
    }
    return representation;
  };
  return (exchange) => {
    const { "accept-encoding": accept, "if-none-match": known } = exchange.headers;
    const { body, headers, etag } = represent(preferredCoding(accept?.toString()));
    const common = { ...corsHeaders(exchange), vary: "origin, accept-encoding", "cache-control": CACHE_CONTROL, etag };
    if (known !== undefined && names(known, etag)) {
      exchange.respond(304, common, "");
    } else {
      exchange.respond(200, { ...common, ...headers }, body);
    }
  };
}

function preferredCoding(accept: string | undefined): Coding {
  let best: Coding = "identity";
  let bestWeight = 0;
  for (const coding of CODINGS) {
    const weight = encodingWeight(accept, coding);
    if (weight > bestWeight) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}

// Compares weakly, as RFC 9110 asks: a proxy that compresses an answer makes its ETag weak.
const names = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
