// How long tests may take. A test that hangs fails; nothing else depends on time, however slow or busy the machine is.

/** For the settings of each suite. */
export const TIME_LIMITS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Shorter than a test's, so that the failure names what was awaited. Vitest's default is one second.
  expect: { poll: { timeout: 120_000, interval: 10 } },
};
