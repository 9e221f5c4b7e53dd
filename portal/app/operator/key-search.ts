// Whether an operator who searches for an account has typed a key, or a part of one.

/** What was typed. A whole key is a secret: it must not become a part of an address, or be kept. */
export type SearchedFor =
  | { readonly kind: "key"; readonly key: string }
  /** The last four characters, typed alone or with the rest of how keys are shown: `qk_live_…wxyz`. They may be a name's as well. */
  | { readonly kind: "lastFour"; readonly lastFour: string }
  | { readonly kind: "account"; readonly text: string };

// With whatever surrounds it, such as a header's name. Also one that is mistyped or cut off.
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
