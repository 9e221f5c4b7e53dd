// A document of ours, such as /openapi.json. It is had once in each coding, when somebody first asks for it. It has a strong ETag, so a caller
// who has it already gets a short 304. https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Exchange } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import { addCorsHeaders } from "./cors.ts";
import { encodingWeight } from "./media-type.ts";

/** Answers GET and HEAD requests; needs no key. */
export type Document = (exchange: Exchange) => void;

interface Representation {
  readonly body: Uint8Array;
  readonly headers: ResponseHeaders;
  readonly etag: string;
}

// Quality 5 takes 11 ms for 400 KB and leaves 29 KB; 11 takes half a second and leaves 24 KB.
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 9;

const COMPRESSORS = {
  br: (body: Uint8Array) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body: Uint8Array) => gzipSync(body, { level: GZIP_LEVEL }),
  identity: (body: Uint8Array) => body,
} as const;
/** How a document's bytes may be sent. */
export type Coding = keyof typeof COMPRESSORS;
// Where a caller gives several the same weight, the first of them is chosen: it compresses best.
const CODINGS: readonly Coding[] = ["br", "gzip", "identity"];

/** What a document is made from. */
export interface DocumentOptions {
  readonly contentType: string;
  /** Changes with its bytes. */
  readonly hash: string;
  /** Its bytes in a coding. Asked once for each coding, when somebody first wants it. */
  represent(coding: Coding): Uint8Array;
  readonly cacheControl: string;
  /** What else every answer says. */
  readonly headers?: ResponseHeaders;
  /** Whether pages of other origins may read it. */
  readonly isShared: boolean;
  /** 200 where nothing is said. */
  readonly status?: number;
}

/** The hash of a document's bytes. */
export const hashOf = (body: Uint8Array): string => createHash("sha256").update(body).digest("base64url").slice(0, 22);

/** Represents bytes that are compressed here. */
export const compressed =
  (body: Uint8Array): DocumentOptions["represent"] =>
  (coding) =>
    COMPRESSORS[coding](body);

/** Makes a document. */
export function createDocument({
  contentType,
  hash,
  represent,
  cacheControl,
  headers,
  isShared,
  status = 200,
}: DocumentOptions): Document {
  const made = new Map<Coding, Representation>();
  const representation = (coding: Coding): Representation => {
    let found = made.get(coding);
    if (found === undefined) {
      const etag = coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`;
      const own = { "content-type": contentType, ...(coding !== "identity" && { "content-encoding": coding }) };
      found = { body: represent(coding), headers: own, etag };
      made.set(coding, found);
    }
    return found;
  };
  const vary = isShared ? "origin, accept-encoding" : "accept-encoding";
  return (exchange) => {
    const { "accept-encoding": accept, "if-none-match": known } = exchange.headers;
    const { body, headers: own, etag } = representation(preferredCoding(accept?.toString()));
    const common: ResponseHeaders = {};
    if (isShared) {
      addCorsHeaders(common, exchange);
    }
    Object.assign(common, headers, { vary, "cache-control": cacheControl, etag });
    if (known !== undefined && status === 200 && names(known, etag)) {
      exchange.respond(304, common, "");
    } else {
      exchange.respond(status, { ...common, ...own }, body);
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
