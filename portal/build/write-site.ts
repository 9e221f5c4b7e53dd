// Writes the site with a compressed copy of each file next to it, and an index that says how each is sent. A server reads nothing else.
import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { PortalFile } from "../../src/portal/portal-index.ts";
import { INDEX_FILE } from "../../src/portal/portal-index.ts";

export interface SiteFile extends Pick<PortalFile, "path" | "kind" | "type"> {
  readonly content: Uint8Array;
}

const GZIP_LEVEL = 9;

/** Writes the files to `directory`, replacing the old site, which stays until the new one is complete. */
export async function writeSite(directory: string, files: readonly SiteFile[]): Promise<void> {
  const fresh = `${directory}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  const index = await Promise.all(files.map((file) => writeSiteFile(fresh, file)));
  await writeFile(join(fresh, INDEX_FILE), `${JSON.stringify(index, undefined, 1)}\n`);
  await rm(directory, { recursive: true, force: true });
  await rename(fresh, directory);
}

async function writeSiteFile(directory: string, { path, kind, type, content }: SiteFile): Promise<PortalFile> {
  const name =
    kind === "document" || kind === "application" || kind === "explore" ? `${path === "/" ? "/index" : path}.html` : path;
  const file = join(directory, name);
  await mkdir(dirname(file), { recursive: true });
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
    promisify(gzip)(content, { level: GZIP_LEVEL }),
  ]);
  await Promise.all([writeFile(file, content), writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  return { path, kind, type, name: name.slice(1), hash, bytes: { identity: content.length, br: br.length, gzip: gz.length } };
}
