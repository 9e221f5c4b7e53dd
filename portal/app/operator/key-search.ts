// Whether an operator who searches for an account has typed a key, or a part of one.

/** What was typed. A whole key is a secret: it must not become part of a URL, or be kept. */
export type SearchedFor =
  | { readonly kind: "key"; readonly key: string }
  /** The last four characters, alone or as keys are shown, `qk_live_…wxyz`. An account's name may contain them too. */
  | { readonly kind: "lastFour"; readonly lastFour: string }
  | { readonly kind: "account"; readonly text: string };

// Found inside other text, such as a header, and even if it is mistyped or cut off.
const KEY = /qk_(?:live|test)_[0-9A-Za-z]*/;
const SHOWN = /^(?:qk_(?:live|test)_(?:\d\d)?)?(?:…|\.{2,3})([0-9A-Za-z]{4})$/;
const FOUR = /^[0-9A-Za-z]{4}$/;

export function searchedFor(typed: string): SearchedFor {
  const text = typed.trim();
  const shown = SHOWN.exec(text)?.[1];
  if (shown !== undefined) {
    return { kind: "lastFour", lastFour: shown };
  }
  const key = KEY.exec(text)?.[0];
  if (key !== undefined) {
    return { kind: "key", key: key.slice(0, 64) };
  }
  return FOUR.test(text) ? { kind: "lastFour", lastFour: text } : { kind: "account", text };
}
