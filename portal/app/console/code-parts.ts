// The words of a snippet by what they are, to colour them. The reference is coloured by highlight.js when the site is made; in a browser that would be
// half as large as the console, and snippets have few forms.

/** A part of it. */
export interface CodePart {
  readonly text: string;
  readonly kind: "plain" | "string" | "variable" | "keyword";
}

// Words of one language are no words of another outside of strings, so all have one list.
const KEYWORDS = "as|await|class|const|defer|for|func|if|import|in|new|nil|of|package|public|static|throw|throws|var|void|with";

const WORDS = new RegExp(
  [
    // A shell has no escapes in single quotes: an apostrophe is written between two of them. The programs have no single quotes.
    String.raw`(?<string>'[^']*'(?:\\''[^']*')*|"(?:[^"\\]|\\.)*")`,
    String.raw`(?<variable>\$\w+)`,
    String.raw`(?<keyword>(?<![\w.-])(?:${KEYWORDS})(?![\w-]))`,
  ].join("|"),
  "gs",
);

/** The parts of a snippet in any of their languages, which together are the snippet. */
export function codeParts(code: string): readonly CodePart[] {
  const parts: CodePart[] = [];
  let at = 0;
  const add = (text: string, kind: CodePart["kind"]): void => {
    if (text !== "") {
      parts.push({ text, kind });
    }
  };
  for (const { 0: text, index, groups = {} } of code.matchAll(WORDS)) {
    add(code.slice(at, index), "plain");
    add(text, groups.string !== undefined ? "string" : groups.variable !== undefined ? "variable" : "keyword");
    at = index + text.length;
  }
  add(code.slice(at), "plain");
  return parts;
}
