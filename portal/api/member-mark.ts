// Whether this browser has a session, as far as the application last knew. The session's cookie is hidden from scripts, and the header of
// the documents says either "Sign in" or "Dashboard" without asking the server. It grants nothing.
const NAME = "member";

/** Whether the mark is set. Throws if the browser forbids storage. */
export const isMarkedMember = (): boolean => localStorage.getItem(NAME) !== null;

/** Sets the mark, or removes it. */
export function markMember(isMember: boolean): void {
  try {
    if (isMember) {
      localStorage.setItem(NAME, "yes");
    } else {
      localStorage.removeItem(NAME);
    }
  } catch {
    // Then the header always says "Sign in", which leads a member to the dashboard.
  }
}
