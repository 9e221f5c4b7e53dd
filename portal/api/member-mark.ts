// Whether this browser has a session, as far as the application last knew. The session's cookie is hidden from scripts, and the header of
// the documents says either "Sign in" or "Dashboard" without asking the server; scripts/first-paint.ts reads it. It grants nothing.
const NAME = "member";

/** Whether the mark is set. Throws if the browser forbids storage. */
export const isMarkedMember = (): boolean => localStorage.getItem(NAME) !== null;

/** Sets the mark, or removes it. */
export function markMember(isMember: boolean): void {
  // The header of this page, which may have been opened before its reader signed in.
  document.documentElement.toggleAttribute("data-member", isMember);
  try {
    if (isMember) {
      localStorage.setItem(NAME, "yes");
    } else {
      localStorage.removeItem(NAME);
    }
  } catch {
    // Then the header of every page that is opened says "Sign in", which leads a member to the dashboard.
  }
}
