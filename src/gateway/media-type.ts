// Media types and content codings in headers. Pure. https://www.rfc-editor.org/rfc/rfc9110#name-accept
// docs/decisions.md has the reasons why this is not the package `negotiator`.
import type { Problem } from "../problem/problem.ts";

/** The media type of a `content-type` header, lower case, without its parameters; empty when there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined) {
    return "";
  }
  const end = contentType.indexOf(";");
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Whether a `content-type` header says that the text is UTF-8, or says nothing of it. */
export function isUtf8(contentType: string | undefined): boolean {
  return (
    contentType?.includes(";") !== true || [...contentType.matchAll(CHARSET)].every(([, charset = ""]) => UTF8.test(charset.trim()))
  );
}

const CHARSET = /;[ \t]*charset[ \t]*=([^;]*)/gi;
const UTF8 = /^(?:utf-?8|"utf-?8")$/i;

/** Text in another encoding is refused: it would be read wrongly without anybody noticing. */
export const NOT_UTF8: Problem = {
  reason: "UNSUPPORTED_MEDIA_TYPE",
  message: "The body must be UTF-8; leave the charset out of content-type, or say utf-8.",
};

/** Whether an `accept` header takes `application/json`. */
export function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || accept === "" || accept === "*/*" || preferenceFor(accept, "application/json").weight > 0;
}

/** Which of two media types an `accept` header prefers; the first where it prefers neither, undefined where it accepts neither. */
export function preferredOf(accept: string | undefined, first: string, second: string): string | undefined {
  if (accept === undefined || accept === "") {
    return first;
  }
  const [a, b] = [preferenceFor(accept, first), preferenceFor(accept, second)];
  if (a.weight === 0 && b.weight === 0) {
    return undefined;
  }
  return b.weight > a.weight || (b.weight === a.weight && b.specificity > a.specificity) ? second : first;
}

interface Preference {
  /** 0 where no range matches, 1 for all types, 2 for a group such as `text/*`, 3 for the type itself. */
  readonly specificity: number;
  readonly weight: number;
}

// Where several ranges match a type, the weight of the most specific one counts.
function preferenceFor(accept: string, mediaType: string): Preference {
  const ranges = ["*/*", mediaType.replace(/\/.*/, "/*"), mediaType];
  let best: Preference = { specificity: 0, weight: 0 };
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const specificity = ranges.indexOf(type) + 1;
    if (specificity > best.specificity) {
      const q = parameters.find((parameter) => parameter.startsWith("q="));
      best = { specificity, weight: q === undefined ? 1 : Number(q.slice(2)) };
    }
  }
  return best;
}

/**
 * The weight of a coding in an `accept-encoding` header, 0 to 1; 0 when it is not accepted. `identity`, which is no compression, is accepted
 * unless it is refused, with the lowest weight where it is not named. https://www.rfc-editor.org/rfc/rfc9110#name-accept-encoding
 */
export function encodingWeight(accept: string | undefined, coding: string): number {
  let weight: number | undefined;
  let weightOfOthers: number | undefined;
  for (const part of accept?.split(",") ?? []) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const own = q === undefined ? 1 : WEIGHT.test(q) ? Number(q) : 0;
    if (name === coding || name === `x-${coding}`) {
      weight = own;
    } else if (name === "*") {
      weightOfOthers = own;
    }
  }
  return weight ?? weightOfOthers ?? (coding === "identity" ? IDENTITY_WEIGHT : 0);
}

const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
const IDENTITY_WEIGHT = 0.0001;
