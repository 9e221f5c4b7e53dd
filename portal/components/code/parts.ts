// Splits code into coloured parts, in the application. Its security policy forbids HTML from strings, which is what highlight.js produces;
// highlight.js colours the documents when the site is built.

/** The kinds of code, by highlight.js's names. */
type PartKind = "attr" | "comment" | "keyword" | "literal" | "number" | "string" | "variable";

/** A part of code. `kind` is left out if it has no colour. */
export interface CodePart {
  readonly text: string;
  readonly kind?: PartKind;
}

const NUMBER = String.raw`(?<number>(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`;
const QUOTED = String.raw`"(?:\\.|[^"\\])*"`;
const APOSTROPHES = String.raw`'(?:\\.|[^'\\])*'`;
const LITERAL = String.raw`(?<literal>\b(?:True|true|false|nil)\b)`;
const keywords = (words: string): string => `(?<keyword>\\b(?:${words.replaceAll(" ", "|")})\\b)`;
const language = (...parts: readonly string[]): RegExp => new RegExp(parts.join("|"), "gm");

const GRAMMARS = {
  json: language(`(?<attr>${QUOTED}(?=\\s*:))`, `(?<string>${QUOTED})`, NUMBER, keywords("true false null")),
  // In double quotes a variable ends a part, and the rest up to the closing quote is another part. Single quotes have no escapes: an
  // apostrophe comes between two quoted parts.
  bash: language(
    String.raw`(?<variable>\$\w+)`,
    String.raw`(?<string>(?<=\$\w+)[^"$\s]*"|"[^"$]*(?:"|(?=\$))|'[^']*')`,
    String.raw`\\'`,
  ),
  http: language(
    String.raw`(?<keyword>^[A-Z]+(?= /)|\bHTTP/[\d.]+)`,
    String.raw`(?<attr>^[\w-]+(?=:))`,
    String.raw`(?<number>(?<=^HTTP/[\d.]+ )\d+)`,
  ),
  csharp: language(`(?<string>${QUOTED})`, keywords("await if new string throw using var"), NUMBER),
  php: language(`(?<string>${APOSTROPHES})`, keywords("echo exit if or while"), LITERAL, NUMBER),
  // `mut` after `let` includes the space, as in highlight.js.
  rust: language(
    `(?<string>r(?<hashes>#*)".*?"\\k<hashes>|${QUOTED})`,
    "(?<comment>//.*)",
    `(?<keyword>(?<=let )mut |\\b(?:Box|Result|dyn|fn|if|let|mut|return)\\b)`,
    LITERAL,
    NUMBER,
  ),
  typescript: language(
    `(?<string>${QUOTED}|${APOSTROPHES}|\`[^\`]*\`)`,
    keywords("await const for from if import new of throw"),
    LITERAL,
    String.raw`(?<attr>\b\w+(?=: ))`,
    NUMBER,
  ),
  python: language(`(?<string>${QUOTED}|${APOSTROPHES})`, keywords("as except for from import in try with"), LITERAL, NUMBER),
  go: language(`(?<string>${QUOTED})`, keywords("byte defer for func if import package return string"), LITERAL, NUMBER),
  java: language(`(?<string>${QUOTED})`, keywords("class if import new public static throws var void"), NUMBER),
} as const;

/** A language that is coloured here. */
export type CodeLanguage = keyof typeof GRAMMARS;

/** The parts of `code`, in order. Joined, they are the whole code. */
export function partsOf(code: string, name: CodeLanguage): readonly CodePart[] {
  const parts: CodePart[] = [];
  let end = 0;
  for (const match of code.matchAll(GRAMMARS[name])) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    if (match.index > end) {
      parts.push({ text: code.slice(end, match.index) });
    }
    parts.push(kind === undefined ? { text: match[0] } : { text: match[0], kind: kind as PartKind });
    end = match.index + match[0].length;
  }
  return end < code.length ? [...parts, { text: code.slice(end) }] : parts;
}
