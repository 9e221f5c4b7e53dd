// E-mail addresses: the one rule for all of them. An address is what both browsers and mail servers accept.
// https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1
import { domainToASCII } from "node:url";

const ADDRESS_MAX = 254;
const LOCAL_PART_MAX = 64;
// Dots only between other characters, and nothing that needs quotation marks.
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
// At least two labels. The last one is not a number, which would make the domain an IPv4 address.
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/;
// A domain that is not converted, and one that may be: the conversion would drop some characters that a domain cannot contain.
const ASCII_DOMAIN = /^[\w.-]+$/;
const UNICODE_DOMAIN = /^[\w.\-\u0080-\uffff]+$/;

/** What an address must be, to follow "must be". */
export const AN_EMAIL = "an e-mail address like name@example.com";

/**
 * The address in the form in which addresses are stored and compared: in lower case, and an internationalised domain in Punycode. Undefined
 * if it is malformed.
 */
export function canonicalEmail(text: string): string | undefined {
  if (text.length > ADDRESS_MAX) {
    return undefined;
  }
  const at = text.lastIndexOf("@");
  const [local, given] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  const domain = ASCII_DOMAIN.test(given) ? given.toLowerCase() : UNICODE_DOMAIN.test(given) ? domainToASCII(given) : "";
  const email = `${local.toLowerCase()}@${domain}`;
  const isValid = local.length <= LOCAL_PART_MAX && LOCAL_PART.test(local) && DOMAIN.test(domain) && email.length <= ADDRESS_MAX;
  return isValid ? email : undefined;
}

/** A canonical address without its tag: `name+tag@` reaches the same person as `name@`. https://www.rfc-editor.org/rfc/rfc5233 */
export function mailboxOf(email: string): string {
  // An address that begins with a plus sign, such as `+name@`, has no tag.
  return email.replace(/(?<!^)\+.*(?=@)/, "");
}
