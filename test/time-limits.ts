// How long tests may take. What hangs is a failure; nothing waits for the clock, however slow the machine is and whatever else runs on it.

/** For the settings of each suite. */
export const TIME_LIMITS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Below a test's, so that what was waited for is told. Vitest's own is one second.
  expect: { poll: { timeout: 120_000, interval: 10 } },
};
