// JSON as a person would write it: values that fit on one line are on one line.
const LINE_CHARS_MAX = 72;

/** The value as JSON, indented by two, with short lists and objects on one line. */
export function compactJson(value: unknown, indent = ""): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= LINE_CHARS_MAX) {
    return line;
  }
  const deeper = `${indent}  `;
  const [open, close, items] = Array.isArray(value)
    ? ["[", "]", value.map((item) => compactJson(item, deeper))]
    : ["{", "}", Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${compactJson(item, deeper)}`)];
  return `${open}\n${items.map((item) => deeper + item).join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(oneLine).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return JSON.stringify(value);
}
