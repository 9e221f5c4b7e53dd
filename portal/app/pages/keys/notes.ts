// What is said under the field of a key's notes.

export const NOTES_HINT = "Optional, for you and your colleagues.";
