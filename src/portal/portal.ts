// The portal: the pages that `npm run build:portal` builds, as a server sends them. They are ordinary documents: anybody may read them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResponseHeaders } from "@quintet/http";
import type { GetStatusResponse } from "../../gen/quintet/account/v1/status_pb.js";
import type { Plans } from "../catalogue/plans.ts";
import type { ExploreConfig } from "../config/explore.ts";
import type { OperatorConfig } from "../config/operator.ts";
import { type Coding, compressed, createDocument, type Document, hashOf } from "../gateway/document.ts";
import type { Clock } from "../runtime/clock.ts";
import { EXPLORE_KEY_PLACEHOLDER, exploreKeyElement } from "./explore-key.ts";
import { FREE_OFFER_PLACEHOLDER, freeOffer } from "./free-offer.ts";
import { createFeedDocument, FEED_PATH } from "./incident-feed.ts";
import { liveCallElements } from "./live-calls.ts";
import { originDocuments } from "./origin-documents.ts";
import { PLANS_PLACEHOLDER, planCards } from "./plan-cards.ts";
import { escapedHtml } from "./plan-figures.ts";
import { PLANS_MARKDOWN_PLACEHOLDER, planTablesMarkdown } from "./plan-tables.ts";
import { type PortalFile, readPortalIndex } from "./portal-index.ts";
import { SERVER_FACTS_PLACEHOLDER, type ServerFacts, serverFactsElements } from "./server-facts.ts";
import { STATUS_PLACEHOLDER, STATUS_UNKNOWN, statusHtml } from "./status-page.ts";
import { createStatusReader, type ReadStatus } from "./status-reader.ts";

// The status page as a document that is regenerated from time to time. However many readers request it, only one status is read at a time,
// and one page is kept.
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

// The placeholders in the terms, privacy and support pages, which an operator fills in with settings.
interface Placeholder {
  /** The placeholder as it is in the page. */
  readonly text: string;
  /** What the page says if the setting is not set. */
  readonly unset: string;
  readonly read: (operator: OperatorConfig) => string | undefined;
}

export const PAGES_WITH_PLACEHOLDERS: ReadonlySet<string> = new Set(["/docs/terms", "/docs/privacy", "/docs/support"]);

const PLACEHOLDERS: readonly Placeholder[] = [
  { text: "[operator name]", unset: "The operator of this server", read: ({ name }) => name },
  { text: "[operator address]", unset: "whose address is not published here", read: ({ address }) => address },
  { text: "[support contact]", unset: "not published here", read: ({ supportContact }) => supportContact },
  { text: "[governing law]", unset: "the country in which the operator is established", read: ({ governingLaw }) => governingLaw },
];

// The paragraph for operators at the top of a page, in HTML and in Markdown. Customers do not see it.
const NOTES = [/<p>This is a template\..*?<\/p>/s, /^This is a template\..*?\n\n/ms];

/** A page for customers with its placeholders filled in. `written` escapes a value for the page's format. */
export function fillPlaceholders(page: string, operator: OperatorConfig, written: (text: string) => string): string {
  return PLACEHOLDERS.reduce(
    (text, { text: placeholder, unset, read }) => text.replaceAll(placeholder, () => written(read(operator) ?? unset)),
    NOTES.reduce((text, note) => text.replace(note, ""), page),
  );
}

/** What a server adds to its dispatcher. */
export interface Portal {
  /** Path → document. */
  readonly documents: ReadonlyMap<string, Document>;
  /**
   * The application's document for a path that is not among `documents`: the nearest one above it. The application decides what to show.
   */
  applicationAt(path: string): Document | undefined;
  /** What a browser gets, with status 404, for a page that does not exist; undefined if no portal has been built. */
  readonly notFound: Document | undefined;
}

/** The parts of the pages that only this server knows. */
interface OwnTexts {
  readonly plans: Plans;
  readonly operator: OperatorConfig;
  /** The key with which pages call for visitors; undefined if there is none. */
  readonly explore: ExploreConfig | undefined;
  readonly facts: ServerFacts;
  /** Reads the services' status. */
  readonly status: () => Promise<GetStatusResponse>;
  /** Where customers reach the server, if the operator says so. */
  readonly publicUrl?: string | undefined;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs" | "after">;
}

/** Where `npm run build:portal` puts the portal. */
export const PORTAL_DIRECTORY: string = join(import.meta.dirname, "../../build/portal");

const NOT_FOUND_PATH = "/404";
const STATUS_PATH = "/status";
/** The target of `/explore`. */
const EXPLORE_FIRST_PATH = "/explore/stations";
const ACCOUNT_PATH = "/app/account";
const EXTENSIONS = { br: ".br", gzip: ".gz", identity: "" } as const;

// Browsers request a document each time, which its ETag makes cheap. A file with its hash in its name never changes.
const CACHE_CONTROL = {
  document: "no-cache",
  application: "no-cache",
  explore: "no-cache",
  file: "no-cache",
  asset: "public, max-age=31536000, immutable",
} as const;

// A page runs only our own scripts, and loads nothing from anywhere else. Pages on other sites cannot frame it.
// https://www.w3.org/TR/CSP3/
const DOCUMENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
// The application creates its elements itself, and no string that it receives may become markup.
// https://www.w3.org/TR/trusted-types/
const APPLICATION_POLICY = [...DOCUMENT_POLICY, "require-trusted-types-for 'script'", "trusted-types 'none'"];
// Stations and tokens have pictures and streams on any host: these pages may load those, and nothing else from other hosts. The hosts get
// no cookies, and do not learn which page the visitor is on. https://html.spec.whatwg.org/multipage/browsers.html#coep-credentialless
const EXPLORE_POLICY = [
  ...DOCUMENT_POLICY.filter((directive) => !directive.startsWith("img-src")),
  "img-src 'self' https: http:",
  "media-src https: http:",
];

const EVERY_FILE: ResponseHeaders = { "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin" };
const page = (policy: readonly string[]): ResponseHeaders => ({
  ...EVERY_FILE,
  "content-security-policy": policy.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
});
const HEADERS = {
  document: page(DOCUMENT_POLICY),
  application: page(APPLICATION_POLICY),
  explore: {
    ...page(EXPLORE_POLICY),
    "cross-origin-embedder-policy": "credentialless",
    "referrer-policy": "no-referrer",
  },
  file: EVERY_FILE,
  asset: EVERY_FILE,
} as const;

/** Reads the portal in `directory`. It has no documents if none have been built. */
export function createPortal(directory: string, own: OwnTexts): Portal {
  const documents = new Map<string, Document>();
  const applications = new Map<string, Document>();
  let notFound: Document | undefined;
  const readStatus = createStatusReader(own.status, own.clock);
  for (const file of readPortalIndex(directory) ?? []) {
    if (file.path === STATUS_PATH) {
      documents.set(STATUS_PATH, statusDocument(directory, file, readStatus, own.clock));
      documents.set(
        FEED_PATH,
        createFeedDocument({ read: readStatus, headers: EVERY_FILE, publicUrl: own.publicUrl, clock: own.clock }),
      );
      addSlash(documents, file);
    } else if (file.path === NOT_FOUND_PATH) {
      notFound = documentOf(directory, file, own, 404);
    } else {
      const document = PLAN_PATHS.has(file.path)
        ? createPlanDocument(own.plans, () => documentOf(directory, file, own))
        : documentOf(directory, file, own);
      documents.set(file.path, document);
      addSlash(documents, file);
      if (file.kind === "application") {
        applications.set(file.path, document);
      }
    }
  }
  if (documents.has(EXPLORE_FIRST_PATH)) {
    documents.set("/explore", redirectTo(EXPLORE_FIRST_PATH, 307));
  }
  const pages = [...documents.keys()].filter((path) => documents.has(markdownPathOf(path)));
  if (documents.has(ACCOUNT_PATH)) {
    // Where password managers look for the page: https://www.w3.org/TR/change-password-url/
    documents.set("/.well-known/change-password", redirectTo(ACCOUNT_PATH, 307));
  }
  const contact = own.operator.supportContact;
  for (const [path, document] of originDocuments({ pages, contact, publicUrl: own.publicUrl, clock: own.clock })) {
    documents.set(path, document);
  }
  // An application's path has at most this length, so the search for the nearest one above a path begins there.
  const lengthMax = Math.max(0, ...Array.from(applications.keys(), (path) => path.length));
  const applicationAt = (path: string): Document | undefined => {
    for (let end = path.lastIndexOf("/", lengthMax); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const document = applications.get(path.slice(0, end));
      if (document !== undefined) {
        return document;
      }
    }
    return undefined;
  };
  return { documents, applicationAt, notFound };
}

/** The server in the examples of all pages. */
const EXAMPLE_HOST = "127.0.0.1:8080";

/** The pages that show the plans. */
const PLAN_PATHS: ReadonlySet<string> = new Set(["/", "/plans", "/plans.md"]);

// Made again when other plans are on offer.
function createPlanDocument(plans: Plans, make: () => Document): Document {
  let shown = plans.all;
  let made = make();
  return (exchange, common) => {
    if (plans.all !== shown) {
      shown = plans.all;
      made = make();
    }
    return made(exchange, common);
  };
}

function statusDocument(directory: string, { name, kind }: PortalFile, read: ReadStatus, clock: OwnTexts["clock"]): Document {
  const page = readFileSync(join(directory, name), "utf8");
  const fill = (html: string): string => page.replace(placeholderElement(STATUS_PLACEHOLDER), () => html);
  return createStatusDocument({ fill, read, headers: HEADERS[kind], clock });
}

function documentOf(directory: string, { path, kind, type, name, hash }: PortalFile, own: OwnTexts, status?: number): Document {
  const common = {
    contentType: type,
    cacheControl: CACHE_CONTROL[kind],
    headers: HEADERS[kind],
    isShared: false,
    ...(status !== undefined && { status }),
  };
  const filled = withOwnAddress(fill(directory, { path, name, kind }, own), { path, type, own, file: join(directory, name) });
  if (filled === undefined) {
    return createDocument({
      ...common,
      hash,
      represent: (coding: Coding) => readFileSync(join(directory, `${name}${EXTENSIONS[coding]}`)),
    });
  }
  const body = Buffer.from(filled);
  return createDocument({ ...common, hash: hashOf(body), represent: compressed(body) });
}

// The pages for customers name the server's own address in their examples, if the operator has set it. Those for operators and contributors
// are about a server on the reader's machine.
const NOT_FOR_CUSTOMERS = /^\/docs\/(?:operate|architecture|decisions|contributing|releasing|mesh|changelog)(?=[/.]|$)/;

function withOwnAddress(
  filled: string | undefined,
  { path, type, own, file }: { readonly path: string; readonly type: string; readonly own: OwnTexts; readonly file: string },
): string | undefined {
  if (own.publicUrl === undefined || !/^text\/(?:html|markdown)/.test(type) || NOT_FOR_CUSTOMERS.test(path)) {
    return filled;
  }
  const page = filled ?? readFileSync(file, "utf8");
  return page.includes(EXAMPLE_HOST)
    ? page.replaceAll(`http://${EXAMPLE_HOST}`, own.publicUrl).replaceAll(EXAMPLE_HOST, new URL(own.publicUrl).host)
    : filled;
}

// A page with content that only this server knows; undefined for pages that are the same everywhere.
function fill(
  directory: string,
  { path, name, kind }: Pick<PortalFile, "path" | "name" | "kind">,
  { plans, operator, explore, facts }: OwnTexts,
): string | undefined {
  const read = (): string => readFileSync(join(directory, name), "utf8");
  if (kind === "explore") {
    return read().replace(placeholderElement(EXPLORE_KEY_PLACEHOLDER), () => exploreKeyElement(explore));
  }
  if (kind === "document" && explore !== undefined && path.startsWith("/reference/")) {
    return replaced(read(), EXPLORE_KEY_PLACEHOLDER, exploreKeyElement(explore));
  }
  if (kind === "application") {
    return replaced(read(), SERVER_FACTS_PLACEHOLDER, serverFactsElements(facts));
  }
  switch (path) {
    case "/":
      return frontPage(read(), plans, explore);
    case "/plans":
      return read().replace(placeholderElement(PLANS_PLACEHOLDER), () => planCards(plans, facts.takesCards));
    case "/plans.md":
      return read().replace(PLANS_MARKDOWN_PLACEHOLDER, () => planTablesMarkdown(plans));
    default:
      return PAGES_WITH_PLACEHOLDERS.has(path.replace(/\.md$/, ""))
        ? fillPlaceholders(read(), operator, path.endsWith(".md") ? (text) => text : escapedHtml)
        : undefined;
  }
}

// The public key goes next to the offer, so that the page needs no other place for it.
function frontPage(page: string, plans: Plans, explore: ExploreConfig | undefined): string {
  const elements = {
    [FREE_OFFER_PLACEHOLDER]: `${freeOffer(plans)}${exploreKeyElement(explore)}`,
    ...liveCallElements(explore),
  };
  return Object.entries(elements).reduce((html, [name, element]) => html.replaceAll(placeholderElement(name), () => element), page);
}

// A page with the placeholder's element replaced; undefined if it has none.
function replaced(page: string, placeholder: string, html: string): string | undefined {
  const element = placeholderElement(placeholder);
  return page.includes(element) ? page.replace(element, () => html) : undefined;
}

const placeholderElement = (name: string): string => `<template data-placeholder="${name}"></template>`;

const markdownPathOf = (path: string): string => (path === "/" ? "/index.md" : `${path}.md`);

// Redirects `/docs/` to `/docs`.
function addSlash(documents: Map<string, Document>, { path, kind }: PortalFile): void {
  if ((kind === "document" || kind === "application" || kind === "explore") && path !== "/") {
    documents.set(`${path}/`, redirectTo(path, 308));
  }
}

const redirectTo =
  (location: string, status: 307 | 308): Document =>
  (exchange, common) =>
    exchange.respond(status, { ...common, ...EVERY_FILE, location, "cache-control": "no-cache" }, "");
