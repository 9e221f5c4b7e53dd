// Cleans a string that a volunteer entered into the directory. Pure. An empty result means unknown.

const TEXT_LENGTH_MAX = 1000;
/** The directory contains stream URLs of almost 15,000 characters, with tokens in them. */
const URL_LENGTH_MAX = 16_384;

/** What programs write when they have no value. The directory contains both. */
const NO_VALUE = /^(?:null|undefined)$/i;

// Nothing but visible ASCII and spaces.
const PLAIN = /^[ -~]*$/;
// Control characters and ends of lines and paragraphs.
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
// Invisible characters, and those that change the direction of the text around them. Joiners and variation selectors stay: scripts
// and emoji need them.
const INVISIBLE = /(?!\u200c|\u200d|[\ufe00-\ufe0f])[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text without control, direction and invisible characters and without surrounding white space, in well-formed Unicode and at most
 * 1,000 characters. Empty if the value is not a string, is blank, or is "null" or "undefined".
 */
export function knownText(value: unknown): string {
  if (typeof value !== "string") {
    return "";
  }
  // Most strings are plain, and skip the slower replacements.
  const isPlain = PLAIN.test(value);
  const text = (isPlain ? value : visible(value)).trim().slice(0, TEXT_LENGTH_MAX);
  if ((text.length === "null".length || text.length === "undefined".length) && NO_VALUE.test(text)) {
    return "";
  }
  return isPlain ? text : text.toWellFormed();
}

const visible = (text: string): string =>
  text
    .slice(0, 2 * TEXT_LENGTH_MAX)
    .replace(BREAKS, " ")
    .replace(INVISIBLE, "");

/** The URL without surrounding white space. Empty if the value is not an http or https URL, or is too long. */
export function knownUrl(value: unknown): string {
  const url = typeof value === "string" && value.length <= URL_LENGTH_MAX ? value.trim().toWellFormed() : "";
  return /^https?:\/\//i.test(url) && isVisible(url) && URL.canParse(url) ? url : "";
}

const isVisible = (url: string): boolean => PLAIN.test(url) || (url.search(BREAKS) < 0 && url.search(INVISIBLE) < 0);

// The directory accepts 1,000 characters; the station with the most tags has 93.
const LIST_LENGTH_MAX = 4000;
const MEMBERS_MAX = 200;

/**
 * The members of a comma-separated list, cleaned, without empty ones and duplicates: at most 200, from the first 4,000 characters.
 */
export function knownMembers(value: unknown): string[] {
  if (typeof value !== "string") {
    return [];
  }
  // A member that is cut off in the middle does not count.
  const list = value.length <= LIST_LENGTH_MAX ? value : value.slice(0, Math.max(0, value.lastIndexOf(",", LIST_LENGTH_MAX)));
  return [...new Set(list.split(",", MEMBERS_MAX).map(knownText))].filter((member) => member !== "");
}

const INT32_MAX = 2_147_483_647;

/** A whole number from 0 to the largest signed 32-bit number. 0 for any other value. */
export function knownCount(value: unknown): number {
  return Number.isInteger(value) && (value as number) > 0 ? Math.min(value as number, INT32_MAX) : 0;
}

/** A time of the directory, in milliseconds since the epoch; undefined if it is not valid. */
export function knownTimeMs(value: unknown): number | undefined {
  const text = typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) ? value : "";
  const timeMs = Date.parse(text);
  return timeMs > 0 ? timeMs : undefined;
}
