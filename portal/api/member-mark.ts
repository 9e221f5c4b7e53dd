// Whether this browser has a session, as far as the application last knew. The session's cookie is hidden from scripts, and the header of
// the documents says either "Sign in" or "Dashboard" without asking the server; scripts/first-paint.ts reads it. It grants nothing.
const NAME = "member";

/** Whether the mark is set. Throws if the browser forbids storage. */
export const isMarkedMember = (): boolean => localStorage.getItem(NAME) !== null;

/** Sets the mark, or removes it. */
export function markMember(isMember: boolean): void {
  // Updates this page's header: the page may have been opened before the user signed in.
  document.documentElement.toggleAttribute("data-member", isMember);
  try {
    if (isMember) {
      localStorage.setItem(NAME, "yes");
    } else {
      localStorage.removeItem(NAME);
    }
  } catch {
    // Then every page's header says "Sign in", which leads a signed-in user to the dashboard.
  }
}
