// The names of headers that clients often send. Finding such a name by its bytes is faster than decoding the bytes, and a record finds
// the resulting string faster than a newly decoded one.

const NAMES = `
accept
accept-encoding
accept-language
accept-charset
authorization
cache-control
connection
content-encoding
content-length
content-type
cookie
expect
forwarded
host
if-modified-since
if-none-match
keep-alive
origin
pragma
priority
proxy-connection
range
referer
sec-fetch-dest
sec-fetch-mode
sec-fetch-site
te
traceparent
tracestate
transfer-encoding
upgrade
upgrade-insecure-requests
user-agent
via
x-forwarded-for
x-forwarded-host
x-forwarded-proto
x-gateway-key
x-real-ip
x-request-id
x-server-timeout`;

const isToken = (byte: number): boolean => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));

/** Indexed by byte: the byte in lower case if it may be in a name, else 0. */
export const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) =>
  isToken(byte) ? String.fromCharCode(byte).toLowerCase().charCodeAt(0) : 0,
);

const TABLE_SIZE = 1024;
const known: (string | undefined)[] = Array.from({ length: TABLE_SIZE }, () => undefined);
// V8 stores each property name once, so it compares them by address and not character by character.
for (const name of Object.keys(
  Object.fromEntries(
    NAMES.trim()
      .split("\n")
      .map((each) => [each, true]),
  ),
)) {
  let hash = 0;
  for (const byte of Buffer.from(name)) {
    hash = nextHash(hash, byte);
  }
  known[hash % TABLE_SIZE] = name;
}

/** The hash of a name: `hash` is that of the name without its last byte (0 if that is empty), and `byte` the last byte in lower case. */
export function nextHash(hash: number, byte: number): number {
  return (hash * 31 + byte) & 0xff_ffff;
}

/** The known name that has this hash and these bytes, in any case; undefined if there is none. */
export function knownName(hash: number, bytes: Uint8Array, start: number, end: number): string | undefined {
  const name = known[hash % TABLE_SIZE];
  if (name === undefined || name.length !== end - start) {
    return undefined;
  }
  for (let i = 0; i < name.length; i += 1) {
    if (name.charCodeAt(i) !== LOWER_CASE[bytes[start + i] as number]) {
      return undefined;
    }
  }
  return name;
}
