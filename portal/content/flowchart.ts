// Turns a Mermaid flowchart of modules into a table: what each module is, and which modules it imports. The site draws no diagrams, and a
// table also serves readers who cannot see one.

interface Module {
  readonly label: string;
  readonly imports: string[];
}

/** A module, or a group of modules, which the next lines list. */
const NODE = /^(?:subgraph )?(\S+)\[(.+)\]$/;
const ARROW = /^(\S+) --> (.+)$/;

/** The modules by their names in the flowchart. Undefined if a line is neither a module nor an arrow between two of them. */
function modulesOf(source: string): ReadonlyMap<string, Module> | undefined {
  const modules = new Map<string, Module>();
  const lines = source
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "end" && !line.startsWith("%%") && !line.startsWith("flowchart "));
  for (const line of lines) {
    const [, name, label] = NODE.exec(line) ?? [];
    const [, from = "", targets = ""] = ARROW.exec(line) ?? [];
    if (name !== undefined && label !== undefined) {
      modules.set(name, { label, imports: [] });
    } else if (modules.has(from)) {
      modules.get(from)?.imports.push(...targets.split(" & "));
    } else {
      return undefined;
    }
  }
  return modules;
}

/** The table in HTML. Undefined if this is not a flowchart of modules. `escapeText` escapes it for HTML. */
export function flowchartTable(source: string, escapeText: (text: string) => string): string | undefined {
  const modules = source.startsWith("flowchart ") ? modulesOf(source) : undefined;
  if (modules === undefined) {
    return undefined;
  }
  const nameOf = (label: string): string => label.split(": ")[0] ?? label;
  const rows = [...modules.values()].map(({ label, imports }) => {
    const name = nameOf(label);
    const cells = [
      `<code>${escapeText(name)}</code>`,
      escapeText(label.slice(name.length + 2)),
      imports.map((target) => `<code>${escapeText(nameOf(modules.get(target)?.label ?? target))}</code>`).join(", "),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  return `<table><thead><tr><th>module</th><th>what it is</th><th>imports</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
