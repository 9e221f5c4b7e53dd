// The rules of the architecture: rooms import each other as docs/architecture.md draws it, and so do the rooms inside a room that has its
// own picture; arrows point down; there are no import cycles; and no folder imports one that is built on it.
import { type Imports, roomOf } from "./imports.ts";

// Folder → the folders whose files its own may import. The tests may import any.
const BORDERS: Readonly<Record<string, readonly string[]>> = {
  src: ["src", "gen"],
  scripts: ["scripts", "src", "gen"],
  portal: ["portal", "scripts", "src", "gen"],
  bench: ["bench", "test", "src", "gen"],
};

/** The folders to which the rules apply. */
export const FOLDERS: readonly string[] = Object.keys(BORDERS);

/** A picture: its rooms from top to bottom, and its arrows, each `from --> to`. */
export interface Picture {
  /** The folder that it draws: `src`, or a room inside it such as `src/guard`, or `portal`. */
  readonly folder: string;
  readonly floors: readonly string[];
  /**
   * The rooms of the subgraph `foundation`, which every room above them may import without an arrow. A room that has an arrow into the
   * foundation may import only what its arrows name.
   */
  readonly foundation: ReadonlySet<string>;
  readonly arrows: ReadonlySet<string>;
}

const ARROW = /^\s*([a-z-]+) --> ([a-z& -]+)$/;

const PICTURE = /```mermaid\nflowchart TD\n\s*%% ((?:src|portal)\S*)\n([\s\S]*?)```/g;

/**
 * Reads the Mermaid pictures of folders in a Markdown document: flowcharts whose first line is a comment with the folder, such as `%%
 * src/guard`. The order in which a picture declares its rooms is their order from top to bottom. Throws if no picture draws `src`.
 */
export function readPictures(markdown: string): readonly Picture[] {
  const pictures = Array.from(markdown.matchAll(PICTURE), ([, folder = "", text = ""]) => readPicture(folder, text));
  if (!pictures.some(({ folder }) => folder === "src")) {
    throw new Error("There is no Mermaid picture of src in the text.");
  }
  return pictures;
}

function readPicture(folder: string, picture: string): Picture {
  const floors: string[] = [];
  const foundation = new Set<string>();
  const arrows = new Set<string>();
  let isFoundation = false;
  for (const line of picture.split("\n")) {
    isFoundation = /^\s*subgraph foundation\b/.test(line) || (isFoundation && line.trim() !== "end");
    const [, from, targets] = ARROW.exec(line) ?? [];
    const room = /^\s*([a-z-]+)\[/.exec(line)?.[1];
    if (isFoundation && room !== undefined) {
      foundation.add(room);
    }
    if (from !== undefined && targets !== undefined) {
      for (const to of targets.split(" & ")) {
        arrows.add(`${from} --> ${to}`);
      }
    } else if (room !== undefined) {
      floors.push(room);
    }
  }
  return { folder, floors, foundation, arrows };
}

/** Every violation of the rules, each as one sentence; empty if there is none. */
export function architectureFaults(imports: Imports, pictures: readonly Picture[]): readonly string[] {
  return [...borderFaults(imports), ...pictures.flatMap((picture) => arrowFaults(imports, picture)), ...circleFaults(imports)];
}

function borderFaults(imports: Imports): readonly string[] {
  const topOf = (path: string): string => path.slice(0, path.indexOf("/"));
  return [...imports].flatMap(([path, targets]) => {
    const allowed = BORDERS[topOf(path)] ?? [];
    return targets
      .filter((target) => !allowed.includes(topOf(target)) && target !== "package.json")
      .map((target) => `${path} imports ${target}: ${topOf(path)}/ imports nothing outside of ${allowed.join("/, ")}/.`);
  });
}

function arrowFaults(imports: Imports, { folder, floors, foundation, arrows }: Picture): readonly string[] {
  const faults: string[] = [];
  const used = new Set<string>();
  const floorOf = new Map(floors.map((room, floor) => [room, floor]));
  const drawnBelow = new Set(
    [...arrows].map((arrow) => arrow.split(" --> ")).flatMap(([from = "", to = ""]) => (foundation.has(to) ? [from] : [])),
  );
  for (const [path, targets] of imports) {
    for (const target of targets) {
      if (![path, target].every((one) => one.startsWith(`${folder}/`))) {
        continue;
      }
      const [from, to] = [roomOf(path, folder), roomOf(target, folder)];
      const arrow = `${from} --> ${to}`;
      const isBelow = (floorOf.get(from) ?? Number.POSITIVE_INFINITY) < (floorOf.get(to) ?? 0);
      if (from === to || (foundation.has(to) && isBelow && !drawnBelow.has(from))) {
        continue;
      }
      used.add(arrow);
      if (!arrows.has(arrow)) {
        faults.push(`${path} imports ${target}: docs/architecture.md draws no arrow ${arrow}.`);
      }
    }
  }
  for (const arrow of arrows) {
    const [from = "", to = ""] = arrow.split(" --> ");
    const [above, below] = [floorOf.get(from), floorOf.get(to)];
    if (above === undefined || below === undefined) {
      faults.push(`docs/architecture.md draws ${arrow}, but declares no room ${above === undefined ? from : to}.`);
    } else if (above >= below) {
      faults.push(`docs/architecture.md draws ${arrow}, which points up.`);
    }
    if (!used.has(arrow)) {
      faults.push(`docs/architecture.md draws ${arrow}, but no file imports that way.`);
    }
  }
  return faults;
}

// Depth first: reaching a file that is still being followed closes a circle.
function circleFaults(imports: Imports): readonly string[] {
  const faults: string[] = [];
  const finished = new Set<string>();
  const follow = (path: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) {
      faults.push(`Files import each other in a circle: ${[...trail.slice(seenAt), path].join(" → ")}.`);
      return;
    }
    if (finished.has(path)) {
      return;
    }
    for (const target of imports.get(path) ?? []) {
      follow(target, [...trail, path]);
    }
    finished.add(path);
  };
  for (const path of imports.keys()) {
    follow(path, []);
  }
  return faults;
}
