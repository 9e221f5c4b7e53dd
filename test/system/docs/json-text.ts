// JSON as the pages show it: short values on one line, and long lists as their first element and the number of elements left out.

const WIDTH = 110;
const SHOWN_MAX = 3;

type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };

/** The text of a value, and whether comments replace parts of it. */
export function jsonText(value: unknown): { readonly text: string; readonly isShortened: boolean } {
  const text = print(value as Value, "");
  return { text, isShortened: text.includes("// and ") };
}

const isLong = (value: Value): boolean => (Array.isArray(value) ? value.length > SHOWN_MAX && typeof value[0] === "object" : false);

const hasLong = (value: Value): boolean =>
  isLong(value) || (typeof value === "object" && value !== null && Object.values(value).some(hasLong));

function inline(value: Value): string {
  if (Array.isArray(value)) {
    return `[${value.map(inline).join(", ")}]`;
  }
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${inline(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

// The text before the value on its line counts towards the width.
function print(value: Value, indent: string, before = ""): string {
  const short = inline(value);
  if (typeof value !== "object" || value === null || (!hasLong(value) && (indent + before + short).length <= WIDTH)) {
    return short;
  }
  const deeper = `${indent}  `;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(([name, member]) => {
      const head = `${JSON.stringify(name)}: `;
      return deeper + head + print(member as Value, deeper, head);
    });
    return `{\n${members.join(",\n")}\n${indent}}`;
  }
  const shown = isLong(value) ? value.slice(0, 1) : value;
  const elements = shown.map((element) => deeper + print(element, deeper));
  const rest = shown.length < value.length ? `\n${deeper}// and ${value.length - shown.length} more` : "";
  return `[\n${elements.join(",\n")}${rest}\n${indent}]`;
}
