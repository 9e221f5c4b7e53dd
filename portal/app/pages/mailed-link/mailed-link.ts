// What a mailed link contains. It is in the fragment, which is never sent to a server, and is removed from the URL of the page at once, so
// that it stays out of the browser's history.
import { useState } from "preact/hooks";

/** The values in a link. */
export interface MailedLink {
  /** undefined if the page was not opened from such a link. */
  readonly token: string | undefined;
  /** The address that the link was mailed to; only in the links of sign-ups and invitations. */
  readonly email: string | undefined;
  /** The page to open afterwards; only in the link of a sign-up. Not checked yet. */
  readonly next: string | undefined;
}

function takeLinkFromUrl(): MailedLink {
  const values = new URLSearchParams(location.hash.slice(1));
  const token = values.get("token") ?? undefined;
  if (token !== undefined) {
    history.replaceState(history.state, "", location.pathname);
  }
  return { token, email: values.get("email") ?? undefined, next: values.get("next") ?? undefined };
}

/** The link that the page was opened with. */
export function useMailedLink(): MailedLink {
  const [link] = useState(takeLinkFromUrl);
  return link;
}
