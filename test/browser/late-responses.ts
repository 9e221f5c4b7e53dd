// Responses that a test can delay, to see what a page shows until then.
import type { Page } from "playwright-core";
import { inputOf } from "./connect-calls.ts";

/** Responses that are held back. */
export interface LateResponses {
  /** Resolves when the page has sent a request. */
  readonly requested: Promise<void>;
  /** Releases them, and those that are requested later. */
  release(): void;
}

/** Holds back the responses to calls of `method` (`GetUsage`) for whose input `isHeld` is true. */
export async function holdResponses(
  page: Page,
  method: string,
  isHeld?: (input: Readonly<Record<string, unknown>>) => boolean,
): Promise<LateResponses> {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(`**/${method}`, async (route) => {
    if (isHeld === undefined || isHeld(inputOf(route.request()))) {
      requested.resolve();
      await released.promise;
    }
    await route.continue();
  });
  return { requested: requested.promise, release: released.resolve };
}
