// The status page as a document that is regenerated from time to time. However many readers request it, only one status is read at a time,
// and one page is kept.
import { compressed, createDocument, type Document, hashOf } from "../gateway/document.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import type { Clock } from "../runtime/clock.ts";
import { STATUS_UNKNOWN, statusHtml } from "./status-page.ts";
import type { ReadStatus } from "./status-reader.ts";

const KEPT_MS = 30_000;
// No reader gets a page that is older than this: an incident may have started since.
const STALE_MS = 60_000;

interface StatusDocumentOptions {
  /** The page around the status. */
  readonly fill: (status: string) => string;
  readonly read: ReadStatus;
  readonly headers: ResponseHeaders;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Creates the document. If the page is due for regeneration but less than a minute old, the old one is served meanwhile. */
export function createStatusDocument({ fill, read, headers, clock }: StatusDocumentOptions): Document {
  const documentOf = (status: string, code?: 503): Document => {
    const body = Buffer.from(fill(status));
    return createDocument({
      contentType: "text/html; charset=utf-8",
      hash: hashOf(body),
      represent: compressed(body),
      cacheControl: code === undefined ? "public, max-age=30" : "no-store",
      headers,
      isShared: false,
      ...(code !== undefined && { status: code }),
    });
  };
  let last: Document | undefined;
  let dueAtMs = Number.NEGATIVE_INFINITY;
  let inProgress: Promise<Document> | undefined;
  const make = async (): Promise<Document> => {
    try {
      last = documentOf(statusHtml(await read()));
      return last;
    } catch {
      return last ?? documentOf(STATUS_UNKNOWN, 503);
    } finally {
      dueAtMs = clock.monotonicMs() + KEPT_MS;
      inProgress = undefined;
    }
  };
  return (exchange, common) => {
    if (last === undefined || clock.monotonicMs() >= dueAtMs) {
      inProgress ??= make();
    }
    if (last !== undefined && clock.monotonicMs() < dueAtMs + STALE_MS - KEPT_MS) {
      last(exchange, common);
    } else {
      void inProgress?.then((document) => document(exchange, common));
    }
  };
}
