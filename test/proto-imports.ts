// What the protos import, laid out for buf, which `npm run generate` and `npm run check` do as well.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The project's own directory. */
export const ROOT = join(import.meta.dirname, "..");

/** Lays it out where nobody has done so before. */
export function layOutProtoImports(): void {
  if (!existsSync(join(ROOT, "build", "protovalidate"))) {
    execFileSync(process.execPath, ["scripts/print-validate-proto.ts"], { cwd: ROOT });
  }
}
