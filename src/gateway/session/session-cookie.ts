// The session as a cookie, for pages of this server. https://www.rfc-editor.org/rfc/rfc6265
//
// Over TLS its name has the prefix `__Host-`: a browser accepts such a cookie only from this very host, not from another of the same domain.
const NAME = "quintet_session";
const SECURE_NAME = `__Host-${NAME}`;
// The longest that browsers keep a cookie. The server decides when the session ends; each use prolongs it.
const SECONDS_MAX = 400 * 86_400;

/** The value of a `set-cookie` header that holds a session's token. */
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
 * The token in a `cookie` header; undefined when there is none. Over TLS (`isSecure`) a cookie without the prefix does not count. Two cookies
 * of one name make an empty text, which is never a valid token.
 */
export function cookieToken(header: string | undefined, isSecure: boolean): string | undefined {
  const pairs = header?.split(";").map((pair) => pair.trim()) ?? [];
  const valuesOf = (name: string): string[] =>
    pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  const secure = valuesOf(SECURE_NAME);
  const values = secure.length > 0 || isSecure ? secure : valuesOf(NAME);
  return values.length > 1 ? "" : values[0];
}
