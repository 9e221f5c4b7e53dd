// Generates gen/common-passwords.txt: the most common leaked passwords, the most frequent first, one per line. They come from the list of
// zxcvbn-ts.
import { dictionary } from "@zxcvbn-ts/language-common";

// After these come rare names, and words that are also parts of good passwords.
const KEPT = 20_000;

export const commonPasswords = (): string => `${dictionary["passwords-common"].slice(0, KEPT).join("\n")}\n`;
