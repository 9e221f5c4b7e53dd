// Paths to the sign-in page, and back from it. `next` is only ever a path of the application or of Explore, so that no link can lead a user
// to another site after signing in.
const SIGN_IN = "/app/sign-in";
/** The first page. */
export const HOME = "/app";

/** The sign-in page, which leads back to `here` afterwards. */
export function signInPath(here: Pick<Location, "pathname" | "search">): string {
  const next = `${here.pathname}${here.search}`;
  return next === HOME ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(next)}`;
}

/** Where to go after signing in: `next` if it is a path of the application or of Explore, otherwise the application's first page. */
export function pathAfterSignIn(next: string | undefined, origin: string): string {
  const url = next === undefined ? null : URL.parse(next, origin);
  return url?.origin === origin && /^\/(?:app|explore)(?:\/|$)/.test(url.pathname) ? `${url.pathname}${url.search}` : HOME;
}

/** Whether a path belongs to the application. Other pages are separate documents. */
export const isApplicationPath = (path: string): boolean => /^\/app(?=[/?#]|$)/.test(path);
