// Turns strictly parsed JSON into plain values.
import { type Json, JsonMembers, JsonNumber } from "./json.ts";

/**
 * The value as `JSON.parse` would return it. Undefined if an object has a duplicate key or a number is too large. A key
 * `__proto__` becomes a property like any other.
 */
export function plainJson(json: Json): unknown {
  if (json instanceof JsonNumber) {
    const value = Number(json.text);
    return Number.isFinite(value) ? value : undefined;
  }
  if (json instanceof JsonMembers) {
    const plain: Record<string, unknown> = {};
    for (const [key, value] of json.members) {
      const plainValue = plainJson(value);
      if (plainValue === undefined || Object.hasOwn(plain, key)) {
        return undefined;
      }
      setOwn(plain, key, plainValue);
    }
    return plain;
  }
  if (Array.isArray(json)) {
    const plain = json.map(plainJson);
    return plain.includes(undefined) ? undefined : plain;
  }
  return json;
}

/** Sets a property of the object itself, whatever its name: assigning to `__proto__` would set the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
