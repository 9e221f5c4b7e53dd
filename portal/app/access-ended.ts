// Marks that a page was loaded because the user's access to another person's account has ended.

/** The mark's name in the tab's storage. */
export const ACCESS_ENDED = "access-ended";

/** Whether the mark is set. Removes it, so this is true only once. */
export function takeAccessEnded(): boolean {
  const isEnded = sessionStorage.getItem(ACCESS_ENDED) !== null;
  sessionStorage.removeItem(ACCESS_ENDED);
  return isEnded;
}
