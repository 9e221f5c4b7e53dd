// How much of a body that nobody wants is let in and thrown away, so that the answer reaches a caller who sends before it listens.

/** The bytes that are thrown away before the caller is cut off. */
export const LINGER_BYTES_MAX = 64 * 1024;
/** The same for a caller that the guard has let in, who may have sent it all and takes the connection for free, or for broken if it is cut. */
export const DISMISSED_BYTES_MAX = 1024 * 1024;
/** How long that may take. */
export const LINGER_MS = 2000;
/** How long a peer has to take note that it is told to go: by a GOAWAY, a ping, a reset. */
export const FAREWELL_MS = 1000;
