// The colours of snippets in the console: no letter is lost, and what is a text is so wherever highlight.js, which colours the reference, finds one.
import hljs from "highlight.js";
import { describe, expect, test } from "vitest";
import { type CodePart, codeParts } from "../../../portal/app/console/code-parts.ts";
import { snippetCall } from "../../../portal/app/console/snippet-call.ts";
import { programSnippets } from "../../../portal/content/snippets/programs.ts";
import { shellSnippets } from "../../../portal/content/snippets/shell.ts";
import { CONTRACT, methodAt } from "./contract.ts";

const NASTY = `it's "quoted" \\ $HOME \`id\` for new 日本`;
const options = { isDryRun: true, server: "http://127.0.0.1:8080" };
const calls = [
  ...CONTRACT.methods.map((method) => snippetCall(method, { ...method.sample } as never, options)),
  snippetCall(methodAt("radio/search"), { name: NASTY }, options),
  snippetCall(methodAt("token-price/get-price"), { tokens: [`a:${NASTY},`] }, options),
];
const snippets = calls.flatMap((call) => [...shellSnippets(call), ...programSnippets(call)]);

const textsOf = (parts: readonly CodePart[], wanted: CodePart["kind"]): readonly string[] =>
  parts.filter(({ kind }) => kind === wanted).map(({ text }) => text);

// The outermost spans of this class, as text.
function highlighted(code: string, language: string, kind: string): readonly string[] {
  const found: string[] = [];
  const open: string[] = [];
  for (const [tag, name] of hljs.highlight(code, { language }).value.matchAll(/<span class="hljs-([^ "]+)[^>]*>|<\/span>|[^<]+/g)) {
    if (name !== undefined) {
      if (name === kind && !open.includes(kind)) {
        found.push("");
      }
      open.push(name);
    } else if (tag === "</span>") {
      open.pop();
    } else if (open.includes(kind)) {
      found.push(`${found.pop()}${tag}`);
    }
  }
  const plain = (html: string): string =>
    html
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#x27;", "'")
      .replaceAll("&amp;", "&");
  return found.map(plain);
}

describe("A snippet", () => {
  test("is whole in its parts", () => {
    expect(
      snippets.map(({ code }) =>
        codeParts(code)
          .map(({ text }) => text)
          .join(""),
      ),
    ).toEqual(snippets.map(({ code }) => code));
  });

  test.each(["python", "go", "java"])("in %s has its texts where highlight.js has them", (language) => {
    const ours = snippets.filter((snippet) => snippet.language === language).map(({ code }) => codeParts(code));
    const theirs = snippets
      .filter((snippet) => snippet.language === language)
      .map(({ code }) => highlighted(code, language, "string"));
    expect(ours.length).toBeGreaterThan(10);
    expect(ours.map((parts) => textsOf(parts, "string"))).toEqual(theirs);
  });

  test.each([
    ["bash", `curl -H "x: $KEY" -d '{"a":"it'\\''s"}' \\\n  'http://h/'`, [`"x: $KEY"`, `'{"a":"it'\\''s"}'`, "'http://h/'"], []],
    ["typescript", `const a = await fetch("b for", { c: 1 });`, [`"b for"`], ["const", "await"]],
    ["python", `import os\nwith open("x") as y:\n    for line in y:`, [`"x"`], ["import", "with", "as", "for", "in"]],
    ["go", `import "os"\nfunc main() {\n\tdefer a.if()`, [`"os"`], ["import", "func", "defer"]],
    [
      "java",
      `public static void main(String[] args) throws E { var a = new B(); }`,
      [],
      ["public", "static", "void", "throws", "var", "new"],
    ],
  ])("in %s has texts and keywords", (_, code, strings, keywords) => {
    const parts = codeParts(code);
    expect({ strings: textsOf(parts, "string"), keywords: textsOf(parts, "keyword") }).toEqual({ strings, keywords });
  });
});
