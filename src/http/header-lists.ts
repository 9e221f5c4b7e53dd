// Finds a member in a comma-separated header such as `accept`. The list is searched rather than split: it may have thousands of
// members, and callers want only a few. https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1

const SPACE = 0x20;
const TAB = 0x09;
const COMMA = 0x2c;
/** Separates the cookies of a `cookie` header, and a member from its parameters. */
export const SEMICOLON = 0x3b;

/**
 * The parameters of the first member called `name`, in lower case, from the first semicolon to its end. Empty if it has none;
 * undefined if there is no such member. `name` is in lower case; the list may be in any case.
 */
export function memberParameters(list: string, name: string): string | undefined {
  const text = list.toLowerCase();
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    if (!beginsElement(text, at, COMMA)) {
      continue;
    }
    const end = afterBlanks(text, at + name.length);
    if (end === text.length || text.charCodeAt(end) === COMMA) {
      return "";
    }
    if (text.charCodeAt(end) === SEMICOLON) {
      const comma = text.indexOf(",", end);
      return comma < 0 ? text.slice(end) : text.slice(end, comma);
    }
  }
  return undefined;
}

/** Whether a list has a member, given in lower case. The list may be in any case. */
export const hasMember = (list: string | undefined, name: string): boolean =>
  list !== undefined && memberParameters(list, name) !== undefined;

/** Whether there are only spaces and tabs between `at` and the separator before it, or the beginning of the string. */
export function beginsElement(text: string, at: number, separator: number): boolean {
  let before = at - 1;
  while (before >= 0 && isBlank(text.charCodeAt(before))) {
    before -= 1;
  }
  return before < 0 || text.charCodeAt(before) === separator;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) {
    at += 1;
  }
  return at;
}

/** Whether a character, or a byte, is a space or a tab. A missing character is NaN, which is neither. */
export const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** A text without the spaces and tabs around it. `trim` would also remove line ends and non-breaking spaces. */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBlank(text.charCodeAt(start))) {
    start += 1;
  }
  while (end > start && isBlank(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return text.slice(start, end);
}
