// `npm run build:portal`: makes the site in build/portal, which a server sends as it is. Runs after `npm ci` too.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { bundleAssets, renderDocuments } from "./build/bundle.ts";
import { consoleDescriptors } from "./build/console-descriptors.ts";
import { writeSite } from "./build/write-site.ts";
import { CONSOLE_METHODS } from "./content/console.ts";
import { FAVICON } from "./content/favicon.ts";
import { SEARCH_ENTRIES } from "./content/search.ts";

const OUT = join(import.meta.dirname, "../build/portal");
const RENDERER = join(import.meta.dirname, "../build/portal-renderer");

const { files, assets } = await bundleAssets();
const documents = await renderDocuments(assets, RENDERER);
await rm(RENDERER, { recursive: true });
await writeSite(OUT, [
  ...documents.map(({ path, kind, html }) => ({
    path,
    kind,
    type: "text/html; charset=utf-8",
    content: Buffer.from(html),
  })),
  ...files.map(({ name, content }) => ({
    path: `/${name}`,
    kind: "asset" as const,
    type: name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
    content,
  })),
  { path: "/favicon.svg", kind: "file" as const, type: "image/svg+xml", content: Buffer.from(FAVICON) },
  { path: "/console.binpb", kind: "file" as const, type: "application/protobuf", content: consoleDescriptors(CONSOLE_METHODS) },
  { path: "/console.json", kind: "file" as const, type: "application/json", content: Buffer.from(JSON.stringify(CONSOLE_METHODS)) },
  { path: "/search.json", kind: "file" as const, type: "application/json", content: Buffer.from(JSON.stringify(SEARCH_ENTRIES)) },
]);
