// Which of a station's two stream URLs plays for long: the station's own, or the one to which the directory followed its playlists and
// redirects. The directory does so once a day, and some servers put a token into the URL that is valid for a minute. Pure.

/** The URL to play; empty if neither is known. `resolved` is empty if the directory has not followed `own`. */
export function lastingUrl(own: string, resolved: string): string {
  if (resolved === "" || own === resolved) {
    return own;
  }
  const losesHttps = /^https:/i.test(own) && !/^https:/i.test(resolved);
  return own !== "" && (losesHttps || hasToken(resolved, own)) ? own : resolved;
}

/** Whether a resolved URL is the one to play, whatever the station's own is. */
export const surelyLasts = (resolved: string): boolean => /^https:/i.test(resolved) && !hasToken(resolved, "");

const LONG_RUN = /[\w~-]{16,}/g;
const LONGER_RUN = /\w{32,}/;

// What a server makes up for each listener: a long run with digits or both cases, or a time.
const isMadeUp = (value: string): boolean =>
  /\d{10}/.test(value) || (value.match(LONG_RUN) ?? []).some((run) => /\d/.test(run) || (/[a-z]/.test(run) && /[A-Z]/.test(run)));

// Whether a value of the query or a part of the path looks made up and is not in the station's own URL. Paths contain more names than
// queries do, and ids that last, with hyphens.
function hasToken(resolved: string, own: string): boolean {
  const url = URL.parse(resolved);
  if (url === null) {
    return false;
  }
  const isNew = (text: string): boolean => !own.includes(text);
  return (
    url.pathname.split("/").some((folder) => isNew(folder) && LONGER_RUN.test(folder) && /\d/.test(folder)) ||
    url.searchParams.values().some((value) => isNew(value) && isMadeUp(value))
  );
}
