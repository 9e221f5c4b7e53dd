// How much of an answer is handed over at once.

/** What of an answer is handed over at once. Of what is longer, a peer that takes no more than this within the stall time is one that does not read. */
export const PIECE_BYTES = 64 * 1024;
