// The rules of the architecture: modules import each other as docs/architecture.md draws it, and so do the modules inside one that has a
// diagram of its own; arrows point down; there are no import cycles; and no folder imports one that is built on it.
import { type Imports, moduleOf } from "./imports.ts";

// Folder → the folders whose files its files may import. Tests may import anything. A package imports only its own files, and others import
// it by its name.
const BORDERS: Readonly<Record<string, readonly string[]>> = {
  packages: ["packages"],
  src: ["src", "gen", "packages"],
  scripts: ["scripts", "src", "gen", "packages"],
  portal: ["portal", "scripts", "src", "gen"],
  bench: ["bench", "test", "src", "portal", "gen", "packages"],
};

/** The folders to which the rules apply. */
export const FOLDERS: readonly string[] = Object.keys(BORDERS);

/** A diagram: its modules from top to bottom, and its arrows, each `from --> to`. */
export interface Diagram {
  /** The folder that it draws: `src`, or a module inside it such as `src/guard`, or `portal`. */
  readonly folder: string;
  readonly layers: readonly string[];
  /**
   * The modules of the subgraph `foundation`, which every module above them may import without an arrow. A module that has an arrow into
   * the foundation may import only what its arrows name.
   */
  readonly foundation: ReadonlySet<string>;
  readonly arrows: ReadonlySet<string>;
}

const ARROW = /^\s*([a-z-]+) --> ([a-z& -]+)$/;

const DIAGRAM = /```mermaid\nflowchart TD\n\s*%% ((?:src|portal)\S*)\n([\s\S]*?)```/g;

/**
 * Reads the Mermaid diagrams of folders in a Markdown document: flowcharts whose first line is a comment with the folder, such as `%%
 * src/guard`. The order in which a diagram declares its modules is their order from top to bottom. Throws if no diagram draws `src`.
 */
export function readDiagrams(markdown: string): readonly Diagram[] {
  const diagrams = Array.from(markdown.matchAll(DIAGRAM), ([, folder = "", text = ""]) => readDiagram(folder, text));
  if (!diagrams.some(({ folder }) => folder === "src")) {
    throw new Error("There is no Mermaid diagram of src in the text.");
  }
  return diagrams;
}

function readDiagram(folder: string, diagram: string): Diagram {
  const layers: string[] = [];
  const foundation = new Set<string>();
  const arrows = new Set<string>();
  let isFoundation = false;
  for (const line of diagram.split("\n")) {
    isFoundation = /^\s*subgraph foundation\b/.test(line) || (isFoundation && line.trim() !== "end");
    const [, from, targets] = ARROW.exec(line) ?? [];
    const module = /^\s*([a-z-]+)\[/.exec(line)?.[1];
    if (isFoundation && module !== undefined) {
      foundation.add(module);
    }
    if (from !== undefined && targets !== undefined) {
      for (const to of targets.split(" & ")) {
        arrows.add(`${from} --> ${to}`);
      }
    } else if (module !== undefined) {
      layers.push(module);
    }
  }
  return { folder, layers, foundation, arrows };
}

/** Every violation of the rules, each as one sentence; empty if there is none. */
export function architectureFaults(imports: Imports, diagrams: readonly Diagram[]): readonly string[] {
  return [...borderFaults(imports), ...diagrams.flatMap((diagram) => arrowFaults(imports, diagram)), ...circleFaults(imports)];
}

function borderFaults(imports: Imports): readonly string[] {
  const topOf = (path: string): string => path.slice(0, path.indexOf("/"));
  return [...imports].flatMap(([path, targets]) => {
    const allowed = BORDERS[topOf(path)] ?? [];
    const outside = targets
      .filter((target) => !allowed.includes(topOf(target)) && target !== "package.json" && !isGeneratedForTest(path, target))
      .map((target) => `${path} imports ${target}: ${topOf(path)}/ imports nothing outside of ${allowed.join("/, ")}/.`);
    const inside = targets
      .filter((target) => isInsidePackage(target) && packageOf(target) !== packageOf(path))
      .map((target) => `${path} imports ${target}: import the package by its name.`);
    return [...outside, ...inside];
  });
}

const packageOf = (path: string): string | undefined => /^packages\/[^/]+/.exec(path)?.[0];

// The tests and examples of a package may use what is generated from test/proto.
const isGeneratedForTest = (path: string, target: string): boolean =>
  /^packages\/[^/]+\/(?:test|examples)\//.test(path) && target.startsWith("test/gen/");

// Its tests' tools may be imported by their path.
const isInsidePackage = (path: string): boolean => /^packages\/[^/]+\/src\/(?!index\.ts$)/.test(path);

function arrowFaults(imports: Imports, { folder, layers, foundation, arrows }: Diagram): readonly string[] {
  const faults: string[] = [];
  const used = new Set<string>();
  const layerOf = new Map(layers.map((module, layer) => [module, layer]));
  const drawnBelow = new Set(
    [...arrows].map((arrow) => arrow.split(" --> ")).flatMap(([from = "", to = ""]) => (foundation.has(to) ? [from] : [])),
  );
  for (const [path, targets] of imports) {
    for (const target of targets) {
      if (
        !path.startsWith(`${folder}/`) ||
        !(target.startsWith(`${folder}/`) || (folder === "src" && packageOf(target) !== undefined))
      ) {
        continue;
      }
      const [from, to] = [moduleOf(path, folder), moduleOf(target, folder)];
      const arrow = `${from} --> ${to}`;
      const isBelow = (layerOf.get(from) ?? Number.POSITIVE_INFINITY) < (layerOf.get(to) ?? 0);
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
    const [above, below] = [layerOf.get(from), layerOf.get(to)];
    if (above === undefined || below === undefined) {
      faults.push(`docs/architecture.md draws ${arrow}, but declares no module ${above === undefined ? from : to}.`);
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
