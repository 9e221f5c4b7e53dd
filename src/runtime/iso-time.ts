// Formats times for people.

/** Formats milliseconds since the Unix epoch as `2026-11-21T12:00:00Z`, with milliseconds only if they are not zero. */
export const isoTime = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");
