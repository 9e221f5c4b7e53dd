// What is wrong with the comments of a source: they are too wide, have old-fashioned words, or say nothing.

const COLUMNS_MAX = 140;
const COMMENT = /^\s*(\/\/|\/\*|\* )/;
const OLD_WORDS = /\b(?:octets?|anew|hence|whence|thereof|therein|wherein|whereof|whereby)\b/i;

const DOC_COMMENT = /^\s*\/\*\* (.*) \*\/$/;
// The name that a line declares.
const DECLARED =
  /^\s*(?:(?:export|default|abstract|async|const|function|interface|class|type|readonly|static|get|set)\s+)*[*#]?([A-Za-z_$][\w$]*)/;
// "The page.", "Makes it.": a noun or a pronoun that any comment could have.
const ANY_COMMENT = /^(?:(?:the|all|its) [a-z-]+|[a-z]+ (?:it|them|this))\.$/i;
const WORDS_WITHOUT_CONTENT = new Set(
  "a all an and are as at be by creates each every for from gets has have in is it its makes of on one or reads returns that the them this to what whether which with".split(
    " ",
  ),
);

/** Each fault as one line, which begins with the place: `src/app.ts:12: …`. */
export function commentFaults(file: string, source: string): readonly string[] {
  const lines = source.split("\n");
  return lines.flatMap((line, index) => {
    const fault = COMMENT.test(line) ? faultOf(line, lines[index + 1] ?? "") : undefined;
    return fault === undefined ? [] : [`${file}:${index + 1}: ${fault}`];
  });
}

function faultOf(line: string, next: string): string | undefined {
  if (line.length > COLUMNS_MAX) {
    return `a comment has at most ${COLUMNS_MAX} columns; shorten it, or continue on the next line`;
  }
  const word = OLD_WORDS.exec(line)?.[0];
  if (word !== undefined) {
    return `"${word}" is not plain English; use a common word (byte, again, so, of it, in which)`;
  }
  const text = DOC_COMMENT.exec(line)?.[1];
  return text !== undefined && saysNothing(text, DECLARED.exec(next)?.[1] ?? "")
    ? `"${text}" says nothing that the name does not say; leave it out, or say what the name leaves open`
    : undefined;
}

function saysNothing(text: string, name: string): boolean {
  const named = new Set(wordsOf(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")).map(stemOf));
  return (
    !/[`0-9]/.test(text) &&
    (ANY_COMMENT.test(text) || wordsOf(text).every((word) => WORDS_WITHOUT_CONTENT.has(word) || named.has(stemOf(word))))
  );
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

// Equal for "stop" and "stops", "match" and "matches", "query" and "queries".
const stemOf = (word: string): string => word.replace(/ies$/, "y").replace(/(?:es|s|ed|ing|e)$/, "");
