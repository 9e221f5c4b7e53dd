// Parses media types and content codings in headers. Pure. https://www.rfc-editor.org/rfc/rfc9110#name-accept. docs/decisions.md
// says why we do not use the package `negotiator`.
import { memberParameters } from "@quintet/http";
import type { Problem } from "../problem/problem.ts";

/** The media type of a `content-type` header in lower case, without parameters; empty if there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined) {
    return "";
  }
  const end = contentType.indexOf(";");
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Whether a `content-type` header declares UTF-8 or no charset. False if it is too long to parse. */
export function isUtf8(contentType: string | undefined): boolean {
  return (
    contentType?.includes(";") !== true ||
    (contentType.length <= CONTENT_TYPE_CHARACTERS_MAX &&
      [...contentType.matchAll(CHARSET)].every(([, charset = ""]) => UTF8.test(charset.trim())))
  );
}

// Longer than any media type with a charset and a boundary.
const CONTENT_TYPE_CHARACTERS_MAX = 1024;

const CHARSET = /;[ \t]*charset[ \t]*=([^;]*)/gi;
const UTF8 = /^(?:utf-?8|"utf-?8")$/i;

/** Text in another encoding is refused: it would be misread without anybody noticing. */
export const NOT_UTF8: Problem = {
  reason: "UNSUPPORTED_MEDIA_TYPE",
  message: "The body must be UTF-8; leave the charset out of content-type, or set it to utf-8.",
};

// What most clients send.
const isPlainlyJson = (accept: string): boolean => accept === "" || accept === "*/*" || accept === "application/json";

/** Whether an `accept` header accepts `application/json`. */
export function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || isPlainlyJson(accept) || preferenceFor(accept, "application/json").weight > 0;
}

/** Which of two media types an `accept` header prefers: the first if it has no preference, undefined if it accepts neither. */
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
  /** 0 if no range matches, 1 for all types, 2 for a group such as `text/*`, 3 for the exact type. */
  readonly specificity: number;
  readonly weight: number;
}

// If several ranges match a type, the weight of the most specific one counts.
function preferenceFor(accept: string, mediaType: string): Preference {
  const ranges = ["*/*", mediaType.replace(/\/.*/, "/*"), mediaType];
  for (let specificity = ranges.length; specificity > 0; specificity -= 1) {
    const parameters = memberParameters(accept, ranges[specificity - 1] as string);
    if (parameters !== undefined) {
      return { specificity, weight: Number(qualityOf(parameters) ?? 1) };
    }
  }
  return { specificity: 0, weight: 0 };
}

// A media range has few parameters, and its weight comes after them.
const PARAMETERS_MAX = 16;

// The text after `q=`; undefined if there is none.
const qualityOf = (parameters: string): string | undefined =>
  parameters
    .split(";", PARAMETERS_MAX)
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith("q="))
    ?.slice("q=".length);

/**
 * The coding that a request names for its content, in lower case and without the old prefix `x-`; empty for none and for `identity`, which
 * is none. https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1
 */
export function codingOf(header: string | undefined): string {
  if (header === undefined || header === "gzip") {
    return header ?? "";
  }
  const coding = header.trim().toLowerCase();
  return coding === "identity" ? "" : coding.replace(/^x-/, "");
}

/** Whether an `accept-encoding` header, of HTTP or of a protocol, accepts gzip, and does not prefer no compression. */
export function acceptsGzip(accept: string | undefined): boolean {
  const weight = accept === undefined ? 0 : encodingWeight(accept, "gzip");
  return weight > 0 && weight >= encodingWeight(accept, "identity");
}

/**
 * The weight of a coding in an `accept-encoding` header, from 0 to 1; 0 if it is not accepted. `identity`, which means no
 * compression, is accepted unless refused, with the lowest weight if it is not named.
 * https://www.rfc-editor.org/rfc/rfc9110#name-accept-encoding
 */
export function encodingWeight(accept: string | undefined, coding: string): number {
  const parameters =
    accept === undefined || accept.length > ACCEPT_CHARACTERS_MAX
      ? undefined
      : (memberParameters(accept, coding) ?? memberParameters(accept, `x-${coding}`) ?? memberParameters(accept, "*"));
  if (parameters === undefined) {
    return coding === "identity" ? IDENTITY_WEIGHT : 0;
  }
  const q = qualityOf(parameters);
  return q === undefined ? 1 : WEIGHT.test(q) ? Number(q) : 0;
}

// Longer than a list of all codings with their weights. Longer headers are ignored.
const ACCEPT_CHARACTERS_MAX = 1024;
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
const IDENTITY_WEIGHT = 0.0001;
