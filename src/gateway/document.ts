// A static document, such as /openapi.json. It is compressed once per coding, on first use. A strong ETag gives callers who
// already have it a short 304. https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Exchange, ResponseHeaders } from "@quintet/http";
import { addCorsHeaders } from "./cors.ts";
import { encodingWeight } from "./media-type.ts";

/** Responds to GET and HEAD requests without a key. `common` are the headers that every response has. */
export type Document = (exchange: Exchange, common: ResponseHeaders) => void;

interface Representation {
  readonly body: Uint8Array;
  readonly headers: ResponseHeaders;
  readonly etag: string;
}

// Higher qualities take far longer, and barely make a long document any smaller. For a short document they take a few milliseconds, and
// make it an eighth smaller.
const BROTLI_QUALITY = 5;
const SHORT_BROTLI_QUALITY = 11;
const SHORT_BYTES = 34 * 1024;
const GZIP_LEVEL = 9;

const COMPRESSORS = {
  br: (body: Uint8Array) =>
    brotliCompressSync(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: body.length <= SHORT_BYTES ? SHORT_BROTLI_QUALITY : BROTLI_QUALITY },
    }),
  gzip: (body: Uint8Array) => gzipSync(body, { level: GZIP_LEVEL }),
  identity: (body: Uint8Array) => body,
} as const;
/** How a document's bytes may be compressed. */
export type Coding = keyof typeof COMPRESSORS;
// If a caller weights several equally, the first is chosen: it compresses best.
const CODINGS: readonly Coding[] = ["br", "gzip", "identity"];

interface DocumentOptions {
  readonly contentType: string;
  /** Changes with the document's bytes. */
  readonly hash: string;
  /** Its bytes in a coding. Called once per coding, on first use. */
  represent(coding: Coding): Uint8Array;
  readonly cacheControl: string;
  /** More headers for every response. */
  readonly headers?: ResponseHeaders;
  /** Whether pages from other origins may read it. */
  readonly isShared: boolean;
  /** Default: 200. */
  readonly status?: number;
}

/** The hash of a document's bytes. */
export const hashOf = (body: Uint8Array): string => createHash("sha256").update(body).digest("base64url").slice(0, 22);

/** Represents bytes that this process compresses. */
export const compressed =
  (body: Uint8Array): DocumentOptions["represent"] =>
  (coding) =>
    COMPRESSORS[coding](body);

export function createDocument({
  contentType,
  hash,
  represent,
  cacheControl,
  headers,
  isShared,
  status = 200,
}: DocumentOptions): Document {
  const created = new Map<Coding, Representation>();
  const representation = (coding: Coding): Representation => {
    let found = created.get(coding);
    if (found === undefined) {
      const etag = coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`;
      const own = { "content-type": contentType, ...(coding !== "identity" && { "content-encoding": coding }) };
      found = { body: represent(coding), headers: own, etag };
      created.set(coding, found);
    }
    return found;
  };
  const vary = isShared ? "origin, accept-encoding" : "accept-encoding";
  return (exchange, common) => {
    const { "accept-encoding": accept, "if-none-match": known } = exchange.headers;
    const { body, headers: own, etag } = representation(preferredCoding(accept?.toString()));
    const all = { ...common };
    if (isShared) {
      addCorsHeaders(all, exchange);
    }
    Object.assign(all, headers, { "x-content-type-options": "nosniff", vary, "cache-control": cacheControl, etag });
    if (known !== undefined && status === 200 && matchesEtag(known, etag)) {
      exchange.respond(304, all, "");
      return;
    }
    const respond = (): void => exchange.respond(status, { ...all, ...own }, body);
    // Many large documents at once over one connection would be more than it may hold.
    const room = exchange.whenRoom();
    if (room === undefined) {
      respond();
    } else {
      void room.then(respond);
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

// Compares weakly, as RFC 9110 requires: a proxy that compresses a response makes its ETag weak. ETags are quoted and contain no
// quotes.
const matchesEtag = (ifNoneMatch: string, etag: string): boolean => ifNoneMatch.trim() === "*" || ifNoneMatch.includes(etag);
