// Moments as people read them in messages.

/** A moment in milliseconds since the Unix epoch as `2026-11-21T12:00:00Z`. Milliseconds are written where they are not zero. */
export const isoTime = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");
