// The session as a cookie, for this server's pages. https://www.rfc-editor.org/rfc/rfc6265. Over TLS its name has the prefix `__Host-`: a
// browser accepts such a cookie only from this host itself, not from another one in the same domain.
import { beginsElement, SEMICOLON } from "../../http/headers.ts";

const NAME = "quintet_session";
const SECURE_NAME = `__Host-${NAME}`;
// The longest that browsers keep a cookie. The server decides when the session ends; each use extends it.
const SECONDS_MAX = 400 * 86_400;

/** The value of a `set-cookie` header with a session's token. */
export function sessionCookie(token: string, isSecure: boolean): string {
  return cookie(token, SECONDS_MAX, isSecure);
}

/** The value of a `set-cookie` header that deletes the cookie. */
export function endedCookie(isSecure: boolean): string {
  return cookie("", 0, isSecure);
}

const cookie = (value: string, seconds: number, isSecure: boolean): string =>
  `${isSecure ? SECURE_NAME : NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

/**
 * The token in a `cookie` header; undefined if there is none. Over TLS (`isSecure`), a cookie without the prefix does not count.
 * Two cookies of the same name result in an empty string, which is never a valid token.
 */
export function cookieToken(header: string | undefined, isSecure: boolean): string | undefined {
  if (header === undefined) {
    return undefined;
  }
  const secure = cookieValue(header, SECURE_NAME);
  return secure !== undefined || isSecure ? secure : cookieValue(header, NAME);
}

// The value of the only cookie with a name; empty if there are two. The header is searched rather than split: it may contain
// thousands.
function cookieValue(header: string, name: string): string | undefined {
  const start = `${name}=`;
  let found: string | undefined;
  for (let at = header.indexOf(start); at >= 0; at = header.indexOf(start, at + start.length)) {
    if (!beginsElement(header, at, SEMICOLON)) {
      continue;
    }
    if (found !== undefined) {
      return "";
    }
    const from = at + start.length;
    const end = header.indexOf(";", from);
    found = header.slice(from, end < 0 ? undefined : end).trim();
  }
  return found;
}
