// The class names of CSS modules: `Layout_main`. They are the same in every run, and contain no hash of a path: they are repeated in the
// styles, the documents and the scripts, and hashes do not compress.
import { basename } from "node:path";

const fileOfName = new Map<string, string>();

/** The name of `local` in the file at `path`. Throws if two files have the same name. */
export function classNameOf(local: string, path: string): string {
  const [file = path] = path.split("?");
  const name = basename(file, ".module.css");
  const known = fileOfName.get(name);
  if (known !== undefined && known !== file) {
    throw new Error(`${file} and ${known} have the same name, so their classes would have the same names`);
  }
  fileOfName.set(name, file);
  return `${name}_${local}`;
}
