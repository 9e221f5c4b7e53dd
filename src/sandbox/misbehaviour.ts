// Parses a misbehaviour from JSON that a person wrote, or reports exactly what is wrong with it. Pure.
import { isJsonObject, type JsonObject } from "../runtime/json-object.ts";
import type { Misbehaviour } from "./stand-ins/stand-in.ts";

/** The misbehaviour, or a sentence that explains what is allowed. */
export function parseMisbehaviour(text: string): Misbehaviour | { readonly error: string } {
  const fields = fieldsOf(text);
  if (fields === undefined) {
    return { error: 'the body must be a JSON object such as {"kind":"slow","delayMs":3000}' };
  }
  const { kind, ...rest } = fields;
  const [name, most] = NUMBER_FIELDS.get(String(kind)) ?? [];
  const unknown = Object.keys(rest).find((key) => key !== name);
  if (typeof kind !== "string" || !KINDS.includes(kind)) {
    return { error: `kind must be one of ${KINDS.join(", ")}` };
  }
  if (unknown !== undefined) {
    return { error: `${kind} takes no field "${unknown}"` };
  }
  if (name === undefined || most === undefined) {
    // The kinds without a number have no field besides `kind`.
    return { kind } as Misbehaviour;
  }
  const value = rest[name];
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > most) {
    return { error: `${kind} needs ${name}, a whole number from 0 to ${most}` };
  }
  return { kind, [name]: value } as Misbehaviour;
}

const KINDS = ["none", "slow", "dead", "limiting", "truncated", "html", "failing"] satisfies Misbehaviour["kind"][] as string[];

/** The kinds with a number: the number's name, and its maximum. */
const NUMBER_FIELDS: ReadonlyMap<string, readonly [string, number]> = new Map([
  ["slow", ["delayMs", 600_000]],
  ["limiting", ["retryAfterSeconds", 3600]],
]);

function fieldsOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
