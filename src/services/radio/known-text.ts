// Cleans a text that a volunteer typed into the directory. Pure. An empty result means unknown.

const TEXT_LENGTH_MAX = 1000;
/** The directory holds stream URLs of almost 15,000 characters, with tokens in them. */
const URL_LENGTH_MAX = 16_384;

/**
 * The text without control characters and without blanks around it, in well-formed Unicode and at most 1,000 characters. Empty when
 * the value is not a text, is blank, or is "null".
 */
export function knownText(value: unknown): string {
  if (typeof value !== "string") {
    return "";
  }
  const text = value
    .slice(0, 2 * TEXT_LENGTH_MAX)
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, TEXT_LENGTH_MAX)
    .toWellFormed();
  return text.toLowerCase() === "null" ? "" : text;
}

/** The URL without blanks around it. Empty when the value is not an http or https URL, or is too long. */
export function knownUrl(value: unknown): string {
  const url = typeof value === "string" && value.length <= URL_LENGTH_MAX ? value.trim().toWellFormed() : "";
  return /^https?:\/\//i.test(url) && !/\p{Cc}/u.test(url) && URL.canParse(url) ? url : "";
}

/** The members of a list separated by commas, each clean, none empty, none twice. */
export function knownMembers(value: unknown): string[] {
  return typeof value === "string" ? [...new Set(value.split(",").map(knownText))].filter((member) => member !== "") : [];
}

const INT32_MAX = 2_147_483_647;

/** A whole number that is not negative, at most the largest of 32 bits. 0 for any other value. */
export function knownCount(value: unknown): number {
  return Number.isInteger(value) && (value as number) > 0 ? Math.min(value as number, INT32_MAX) : 0;
}
