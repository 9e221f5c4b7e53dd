// The static table: index 1 to 61. https://www.rfc-editor.org/rfc/rfc7541#appendix-A
import { HeaderField } from "./header-field.ts";

/** The number of static entries. Dynamic entries are counted from the next index. */
export const STATIC_ENTRIES = 61;

const PAIRS = `
:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`;

const fieldOf = (line: string): HeaderField => {
  const space = line.indexOf(" ");
  return space < 0 ? new HeaderField(line, "") : new HeaderField(line.slice(0, space), line.slice(space + 1));
};

/** The entries by index; there is none at 0. */
export const STATIC_TABLE: readonly (HeaderField | undefined)[] = [undefined, ...PAIRS.trim().split("\n").map(fieldOf)];

/** A header name in the static table. */
export interface StaticName {
  /** The first index with this name. */
  readonly index: number;
  /** The index of each value that the table has for this name. */
  readonly values: ReadonlyMap<string, number>;
}

const names = new Map<string, { index: number; values: Map<string, number> }>();
for (const [index, field] of STATIC_TABLE.entries()) {
  if (field !== undefined) {
    const known = names.get(field.name) ?? { index, values: new Map() };
    names.set(field.name, known);
    known.values.set(field.value, index);
  }
}

export const STATIC_NAMES: ReadonlyMap<string, StaticName> = names;
