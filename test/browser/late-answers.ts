// Answers that come as late as a test wants, so that it can see what a page shows until then.
import type { Page } from "playwright-core";

/** Answers that are held back. */
export interface LateAnswers {
  /** Resolves when the page has asked. */
  readonly asked: Promise<void>;
  /** Lets them come, also those that are asked for later. */
  release(): void;
}

/** Holds back the answers of calls of `method` (`GetUsage`) whose input fulfils `isHeld`. */
export async function holdAnswers(
  page: Page,
  method: string,
  isHeld?: (input: Readonly<Record<string, unknown>>) => boolean,
): Promise<LateAnswers> {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(`**/${method}`, async (route) => {
    if (isHeld === undefined || isHeld(route.request().postDataJSON())) {
      asked.resolve();
      await released.promise;
    }
    // The page may have gone meanwhile.
    await route.continue().catch(() => undefined);
  });
  return { asked: asked.promise, release: released.resolve };
}
