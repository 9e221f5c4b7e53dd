// Reads a Dockerfile: its stages, and the instructions of each.

/** One instruction, with its continued lines joined by blanks: `COPY` and `--from=build /out /opt/quintet`. */
export interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

/** The part from one FROM to the next. */
export interface Stage {
  /** Its base image, without a digest. */
  readonly base: string;
  /** What follows AS. */
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages in file order. Throws if there is an instruction before the first FROM. */
export function readDockerfile(file: string): readonly Stage[] {
  const lines = file
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines.filter((text) => text.trim() !== "")) {
    const [, keyword = "", text = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === "FROM") {
      const [base = "", , name] = text.split(/\s+/);
      stages.push({ base: base.replace(/@.*$/, ""), name, instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) {
      throw new Error(`the Dockerfile has no FROM before "${line}"`);
    }
    stage.instructions.push({ keyword, text });
  }
  return stages;
}

/** The text of a stage's last instruction of this kind. Throws if there is none. */
export function textOf({ instructions }: Stage, keyword: string): string {
  const found = instructions.findLast((instruction) => instruction.keyword === keyword);
  if (found === undefined) {
    throw new Error(`the Dockerfile's last stage has no ${keyword}`);
  }
  return found.text;
}

/** The variables that ENV sets in a stage. */
export function environmentOf({ instructions }: Stage): Readonly<Record<string, string>> {
  const pairs = instructions.filter(({ keyword }) => keyword === "ENV").flatMap(({ text }) => text.split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}
