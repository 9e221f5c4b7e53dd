// The index of the built site: which files there are, and how each is sent.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The name of the index in the site's directory. */
export const INDEX_FILE = "index.json";

/** One file. Beside it stand the same with `.br` and `.gz`. */
export interface PortalFile {
  /** Where it is on the site: `/docs/limits`. */
  readonly path: string;
  /**
   * A document is a page; an application is a page that is also sent for every path under its own that has none; a page of Explore may show
   * pictures and play sound from anywhere; an asset has its hash in its name and never changes; a file is anything else.
   */
  readonly kind: "document" | "application" | "explore" | "asset" | "file";
  /** Its `content-type`. */
  readonly type: string;
  /** Its name in the site's directory. */
  readonly name: string;
  /** Of its content, for its ETag. */
  readonly hash: string;
  /** How long it is in each coding. */
  readonly bytes: Readonly<Record<"identity" | "br" | "gzip", number>>;
}

/** Reads the index of the site in `directory`; undefined when no site has been built there. */
export function readPortalIndex(directory: string): readonly PortalFile[] | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, INDEX_FILE), "utf8")) as readonly PortalFile[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}
