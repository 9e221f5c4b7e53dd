// Adds the service moon-phase to a copy of the project, as CONTRIBUTING.md describes: its proto, folder, stand-in, plans and page, which
// are in `moonphase` here, and the two lines in shared files.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectCopy } from "./project-copy.ts";

const OWN = join(import.meta.dirname, "moonphase");
const own = (path: string): string => readFileSync(join(OWN, path), "utf8");

const NAME = "moonphase";

export const PROTO = "proto/quintet/moonphase/v1/moon_phase.proto";
export const PAGE = `docs/services/${NAME}.md`;
export const PLANS = "plans/default.json";
export const LOOKS = "portal/services.json";
export const SERVICE = `src/services/${NAME}`;
export const DEFINITION = `${SERVICE}/definition.ts`;
export const STAND_INS = `src/sandbox/stand-ins/${NAME}`;
export const REGISTRY = "src/services/registry.ts";
export const SAMPLE_CALLS = "test/fixtures/sample-calls.ts";
export const RECORDED = "scripts/openapi/recorded/moonphase.json";

/** The lines in shared files, each with the line that it follows. */
export const REGISTRY_LINE = '  "moon-phase": MOON_PHASE,\n';
export const SAMPLE_LINE = '  MoonPhaseService_GetPhase: { day: "2026-11-21" },\n';

/** Adds it, and returns the files that were written by hand. */
export function addMoonPhase(copy: ProjectCopy): readonly string[] {
  copy.write(PROTO, own("moon_phase.proto"));
  for (const [from, to] of Object.entries({ service: SERVICE, "stand-ins": STAND_INS })) {
    for (const file of globSync("*.ts.txt", { cwd: join(OWN, from) })) {
      copy.write(`${to}/${file.replace(/\.txt$/, "")}`, own(`${from}/${file}`));
    }
  }
  copy.write(PAGE, own("page.md"));
  copy.write(RECORDED, own("recorded.json"));
  for (const [path, json] of [
    [PLANS, own("plans.json")],
    [LOOKS, own("look.json")],
  ] as const) {
    const end = /\n\}\s*$/.exec(copy.read(path))?.[0] ?? "";
    copy.edit(path, end, `,\n  "moon-phase": ${json.trimEnd().replaceAll("\n", "\n  ")}\n}\n`);
  }
  const definition = 'import { MOON_PHASE } from "./moonphase/definition.ts";\n';
  const before = 'import { RADIO } from "./radio/definition.ts";\n';
  copy.edit(REGISTRY, before, `${definition}${before}`);
  copy.edit(REGISTRY, "  farkle: FARKLE,\n", `  farkle: FARKLE,\n${REGISTRY_LINE}`);
  const last = "  FarkleService_Score: { dice: [1, 1, 1, 5, 2, 3] },\n";
  copy.edit(SAMPLE_CALLS, last, `${last}${SAMPLE_LINE}`);
  return copy.changedFiles();
}
