// How much of a body is read and discarded once its response is known, and for how long. Some callers read the response only after
// sending the whole body. If they were cut off at once, they would never see the response.

/** Bytes discarded before the caller is cut off. */
export const LINGER_BYTES_MAX = 64 * 1024;
/**
 * The same for a caller that the guard has admitted. It may already have sent its whole body, and would report a cut connection as
 * an error.
 */
export const DISCARDED_BYTES_MAX = 1024 * 1024;
export const LINGER_MS = 2000;
/** How long a peer has to react when a GOAWAY, a ping or a reset asks it to disconnect. */
export const PEER_REACTION_MS = 1000;
