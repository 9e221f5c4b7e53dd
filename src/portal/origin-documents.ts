// The documents that programs expect at fixed paths: sitemap.xml, robots.txt, security.txt and the API catalog. They contain absolute URLs,
// so they are written for the server's public URL or, if it has none, for the host that the request names.

import type { Exchange, ResponseHeaders } from "@quintet/http";
import type { Document } from "../gateway/document.ts";
import type { Clock } from "../runtime/clock.ts";
import { canonicalEmail } from "../runtime/email.ts";

const CATALOG_PATH = "/.well-known/api-catalog";

const SECURITY_PATH = "/.well-known/security.txt";
const DAY_MS = 86_400_000;
// Less than the year that the standard recommends at most.
const SECURITY_TEXT_DAYS = 180;

const HEADERS: ResponseHeaders = { "x-content-type-options": "nosniff", "cache-control": "no-cache", vary: "host" };

interface OriginDocumentsOptions {
  /** The paths that search engines should know. */
  readonly pages: readonly string[];
  /** Where the operator can be reached. */
  readonly contact: string | undefined;
  readonly publicUrl: string | undefined;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Path → document. There is a security.txt only if the contact is an e-mail address or a URL. */
export function originDocuments({ pages, contact, publicUrl, clock }: OriginDocumentsOptions): ReadonlyMap<string, Document> {
  const contactUri = contact && contactUriOf(contact);
  const written =
    (contentType: string, write: (origin: string) => string, more: ResponseHeaders = {}): Document =>
    (exchange, common) =>
      exchange.respond(200, { ...common, ...HEADERS, ...more, "content-type": contentType }, write(originOf(exchange, publicUrl)));
  return new Map([
    ["/sitemap.xml", written("application/xml; charset=utf-8", (origin) => sitemap(origin, pages))],
    ["/robots.txt", written("text/plain; charset=utf-8", robots)],
    [
      CATALOG_PATH,
      written('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"', catalog, {
        // For HEAD requests: https://www.rfc-editor.org/rfc/rfc9727#section-2
        link: `<${CATALOG_PATH}>; rel="api-catalog"`,
      }),
    ],
    ...(contactUri
      ? [
          [
            SECURITY_PATH,
            written("text/plain; charset=utf-8", (origin) => securityText(origin, contactUri, clock.nowMs())),
          ] as const,
        ]
      : []),
  ]);
}

function contactUriOf(text: string): string | undefined {
  const parts = canonicalEmail(text)?.split("@");
  return parts === undefined
    ? /^https:\/\/\S+$/.test(text) && URL.canParse(text)
      ? text
      : undefined
    : `mailto:${parts.map(encodeURIComponent).join("@")}`;
}

/** The public URL or, without one, the origin that the request names: the transport accepts only a host and a port as the authority. */
export const originOf = ({ client, authority = "localhost" }: Exchange, publicUrl: string | undefined): string =>
  publicUrl ?? `${client.isSecure ? "https" : "http"}://${authority}`;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("'", "&apos;");

// https://www.sitemaps.org/protocol.html
const sitemap = (origin: string, pages: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${pages.map((path) => `<url><loc>${escaped(origin + path)}</loc></url>`).join("\n")}
</urlset>
`;

// Where to report vulnerabilities: https://www.rfc-editor.org/rfc/rfc9116. Its last day moves with the date, so it never expires. A
// canonical URL must be https.
const securityText = (origin: string, contact: string, nowMs: number): string => `Contact: ${contact}
Expires: ${new Date((Math.floor(nowMs / DAY_MS) + SECURITY_TEXT_DAYS) * DAY_MS).toISOString()}
${origin.startsWith("https:") ? `Canonical: ${origin}${SECURITY_PATH}\n` : ""}Preferred-Languages: en
`;

// https://www.rfc-editor.org/rfc/rfc9309
const robots = (origin: string): string => `User-agent: *
Disallow: /app
Sitemap: ${origin}/sitemap.xml
`;

// https://www.rfc-editor.org/rfc/rfc9727, in the format of https://www.rfc-editor.org/rfc/rfc9264
function catalog(origin: string): string {
  const at = (path: string, type: string): { readonly href: string; readonly type: string } => ({ href: origin + path, type });
  const linkset = [
    {
      anchor: `${origin}/`,
      "service-desc": [at("/openapi.json", "application/json"), at("/descriptors.binpb", "application/protobuf")],
      "service-doc": [at("/reference", "text/html"), at("/llms.txt", "text/plain")],
      "service-meta": [at("/grpc-service-config.json", "application/json")],
      "terms-of-service": [at("/docs/terms", "text/html")],
    },
    { anchor: `${origin}/mcp`, "service-doc": [at("/docs/agents", "text/html"), at("/docs/agents.md", "text/markdown")] },
  ];
  return `${JSON.stringify({ linkset }, undefined, 2)}\n`;
}
