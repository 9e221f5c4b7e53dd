// Checks when a rule is compiled that its path variables match the input message.
import type { FieldTable } from "./fields.ts";
import type { Variable } from "./template.ts";

/**
 * Throws an Error unless each variable names a single value of the message, by proto names, and all of them can be set together.
 */
export function checkVariables(table: FieldTable, variables: readonly Variable[]): void {
  // Path of a oneof → path of the member that a variable needs.
  const chosen = new Map<string, string>();
  for (const { fieldPath } of variables) {
    checkVariable(table, fieldPath, chosen);
  }
}

function checkVariable(table: FieldTable, fieldPath: string, chosen: Map<string, string>): void {
  const names = fieldPath.split(".");
  let inner = table;
  let prefix = "";
  for (const [index, name] of names.entries()) {
    const field = inner.fields.find((candidate) => candidate.name === name);
    if (field === undefined) {
      throw new Error(`${inner.desc.typeName} has no field ${name}`);
    }
    if (field.kind !== "single") {
      throw new Error(`${fieldPath} is a ${field.kind}, and a path variable is one value`);
    }
    if (field.oneof !== undefined) {
      const member = prefix + name;
      const other = chosen.get(prefix + field.oneof) ?? member;
      if (other !== member) {
        throw new Error(`${other} and ${member} cannot both be given`);
      }
      chosen.set(prefix + field.oneof, member);
    }
    if (index === names.length - 1) {
      if (field.reader === undefined) {
        throw new Error(`${fieldPath} is a message, and a path variable is one value`);
      }
    } else if (field.table === undefined) {
      throw new Error(`${name} is not a message, so ${fieldPath} names nothing`);
    } else {
      inner = field.table;
      prefix += `${name}.`;
    }
  }
}
