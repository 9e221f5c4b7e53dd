// The index of the built site: a list of its files, with what is needed to send each.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The name of the index in the site's directory. */
export const INDEX_FILE = "index.json";

/** One file. The compressed forms are next to it, with `.br` and `.gz` appended to its name. */
export interface PortalFile {
  /** Its path on the site: `/docs/limits`. */
  readonly path: string;
  /**
   * A document is a page. An application is a page that is also served for every path below it that has no document of its own. An Explore
   * page may show pictures and play sound from anywhere. An asset has its hash in its name and never changes. A file is anything else.
   */
  readonly kind: "document" | "application" | "explore" | "asset" | "file";
  /** Its `content-type`. */
  readonly type: string;
  /** Its name in the site's directory. */
  readonly name: string;
  /** The hash of its content, for its ETag. */
  readonly hash: string;
  /** Its length in each coding. */
  readonly bytes: Readonly<Record<"identity" | "br" | "gzip", number>>;
}

/** Reads the index of the site in `directory`; undefined if no site has been built there. */
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
