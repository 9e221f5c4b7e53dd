// The form as a link. Its values are in the query, with the same names as in REST: `?tokens=…&tokens=…&limit=2`. The protocol, and whether
// it is a dry run, are in the hash: `#connect&dry-run`. A link never contains a key, because the form has none.
import type { FormField } from "./fields.ts";
import type { FormValues } from "./values.ts";

// Enough for any request that a form makes. Browsers and proxies may truncate longer URLs.
const LINK_CHARACTERS_MAX = 8000;

export interface ReadLink {
  readonly values: FormValues;
  /** Names in the link that the method has no field for. */
  readonly unknown: readonly string[];
}

// A key that was pasted into the wrong field must not end up in a URL.
const KEY = /\bqk_(live|test)_/;

/** The query of a link, with `?`; empty without values, and undefined if they are too long for a link or contain a key. */
export function linkOf(values: FormValues): string | undefined {
  if (Object.values(values).some((texts) => texts.some((text) => KEY.test(text)))) {
    return undefined;
  }
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([path, texts]) => texts.map((text) => [path, text])),
  ).toString();
  if (query.length > LINK_CHARACTERS_MAX) {
    return undefined;
  }
  return query === "" ? "" : `?${query}`;
}

/** Reads the values from a link, for a method with these fields. */
export function readLink(fields: readonly FormField[], search: string): ReadLink {
  const values: Record<string, string[]> = {};
  const unknown = new Set<string>();
  for (const [path, text] of new URLSearchParams(search.slice(0, LINK_CHARACTERS_MAX + 1))) {
    const field = fieldAt(fields, path.split("."));
    if (field === undefined) {
      unknown.add(path);
    } else if (field.isList && field.kind !== "json") {
      values[path] = [...(values[path] ?? []), text];
    } else {
      values[path] = [text];
    }
  }
  return { values, unknown: [...unknown] };
}

/** How a form is sent. */
export interface SendMethod {
  /** The protocol's name, which may be unknown. */
  readonly protocol: string;
  readonly isDryRun: boolean;
}

const DRY_RUN = "dry-run";

/** The part of a link that says how the form is sent, with `#`. */
export const hashOf = ({ protocol, isDryRun }: SendMethod): string => `#${protocol}${isDryRun ? `&${DRY_RUN}` : ""}`;

export function readHash(hash: string): SendMethod {
  const [protocol = "", ...others] = hash.slice(1).split("&");
  return { protocol, isDryRun: others.includes(DRY_RUN) };
}

function fieldAt(fields: readonly FormField[], [name, ...rest]: readonly string[]): FormField | undefined {
  const field = fields.find((one) => one.name === name);
  return field === undefined || rest.length === 0 ? field : fieldAt(field.children(), rest);
}
