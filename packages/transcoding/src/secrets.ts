// Keeps secrets out of errors, which repeat what the caller has sent: people put secrets into the wrong place.

// What secrets look like, to whomever they belong: keys with a prefix such as qk_live_ or whsec_, recovery codes, and random letters and
// digits, such as the tokens of sessions. An ID with dashes is not one of these. No pattern takes more than linear time.
const SECRETS = [/[a-z]{2,6}_(?:[a-z]+_)?[A-Za-z0-9+/=-]{16,}/g, /\b[a-z0-9]{4}(?:-[a-z0-9]{4}){3}\b/g];
const LONG_WORD = /[A-Za-z0-9]{24,}/g;
const MIXED_LETTERS = /[a-z][A-Z][A-Za-z]*[A-Z]|[A-Z][a-z]+[A-Z]/;

/** In place of what may be a secret. */
export const NOT_SHOWN = "(not shown)";

const isRandom = (word: string): boolean => /[A-Za-z]/.test(word) && (/\d/.test(word) || MIXED_LETTERS.test(word));

/** The text with `NOT_SHOWN` in place of what looks like a secret. */
export const withoutSecrets = (text: string): string =>
  SECRETS.reduce((shown, secret) => shown.replaceAll(secret, NOT_SHOWN), text).replaceAll(LONG_WORD, (word) =>
    isRandom(word) ? NOT_SHOWN : word,
  );
