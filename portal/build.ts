// `npm run build:portal`: builds the site in build/portal, which a server sends as it is. Runs after `npm ci` too.
import { rm, writeFile } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { bundleAssets, renderDocuments } from "./build/bundle.ts";
import { consoleContract } from "./build/console-contract.ts";
import { ALL_SEARCH_ENTRIES } from "./build/search-entries.ts";
import { writeSite } from "./build/write-site.ts";
import { CONSOLE_METHODS, RECORDED_RESPONSES } from "./content/console.ts";
import { FAVICON } from "./content/favicon.ts";
import { markdownPathOf } from "./content/guides.ts";
import { llmsText } from "./content/page-markdown.ts";

const OUT = join(import.meta.dirname, "../build/portal");
const RENDERER = join(import.meta.dirname, "../build/portal-renderer");

const ASSET_TYPES: Readonly<Record<string, string>> = { ".css": "text/css; charset=utf-8", ".woff2": "font/woff2" };

const { files, assets, packages } = await bundleAssets();
const documents = await renderDocuments(assets, RENDERER);
await rm(RENDERER, { recursive: true });
const listed = documents.flatMap((document) => document.listed ?? []);
await writeSite(OUT, [
  ...documents.map(({ path, kind, html }) => ({
    path,
    kind,
    type: "text/html; charset=utf-8",
    content: Buffer.from(html),
  })),
  ...listed.map(({ path, markdown }) => ({
    path: markdownPathOf(path),
    kind: "file" as const,
    type: "text/markdown; charset=utf-8",
    content: Buffer.from(markdown),
  })),
  { path: "/llms.txt", kind: "file" as const, type: "text/plain; charset=utf-8", content: Buffer.from(llmsText(listed)) },
  ...files.map(({ name, content }) => ({
    path: `/${name}`,
    kind: "asset" as const,
    type: ASSET_TYPES[extname(name)] ?? "text/javascript; charset=utf-8",
    content,
  })),
  { path: "/favicon.svg", kind: "file" as const, type: "image/svg+xml", content: Buffer.from(FAVICON) },
  {
    path: "/console-contract.json",
    kind: "file" as const,
    type: "application/json",
    content: Buffer.from(JSON.stringify(consoleContract(CONSOLE_METHODS))),
  },
  { path: "/console.json", kind: "file" as const, type: "application/json", content: Buffer.from(JSON.stringify(CONSOLE_METHODS)) },
  {
    path: "/console-responses.json",
    kind: "file" as const,
    type: "application/json",
    content: Buffer.from(JSON.stringify(RECORDED_RESPONSES)),
  },
  {
    path: "/search.json",
    kind: "file" as const,
    type: "application/json",
    content: Buffer.from(JSON.stringify(ALL_SEARCH_ENTRIES)),
  },
]);
// The packages whose code is shipped, for the licences and the SBOM.
const root = join(import.meta.dirname, "..");
await writeFile(join(root, "build/portal-packages.json"), `${JSON.stringify(packages.map((path) => relative(root, path)))}\n`);
