// The hint under the field for a key's notes.

export const NOTES_HINT = "Optional, for you and your colleagues.";
