// How many bytes of a body are read and thrown away after the answer was decided, and for how long. Some callers read the answer only when they have
// sent their body: cut at once, they would never see it.

/** The bytes that are thrown away before the caller is cut off. */
export const LINGER_BYTES_MAX = 64 * 1024;
/** The same for a caller whom the guard has admitted. It may have sent its whole body already, and would report a cut connection as broken. */
export const DISMISSED_BYTES_MAX = 1024 * 1024;
/** How long that may take. */
export const LINGER_MS = 2000;
/** How long a peer has to take note that it is told to go: by a GOAWAY, a ping, a reset. */
export const FAREWELL_MS = 1000;
