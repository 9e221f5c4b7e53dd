// Code has the same colours in the application as in the documents: the same parts have the same names, in every snippet and every
// response.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import csharp from "highlight.js/lib/languages/csharp";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import typescript from "highlight.js/lib/languages/typescript";
import { expect, test } from "vitest";
import { type CodeLanguage, partsOf } from "../../portal/components/code/parts.ts";
import { OPERATIONS } from "../../portal/content/operations.ts";
import { callOf } from "../../portal/content/snippets/call.ts";
import { programSnippets } from "../../portal/content/snippets/programs.ts";
import { shellSnippets } from "../../portal/content/snippets/shell.ts";

for (const [name, language] of Object.entries({ bash, csharp, go, java, json, php, python, rust, typescript })) {
  hljs.registerLanguage(name, language);
}

const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&" };
// Everything in programs except values and keywords is plain here.
const PLAIN = ["built_in", "function", "meta", "operator", "params", "property", "punctuation", "title"];

const nameHere = (name: string, language: string): string => {
  if (PLAIN.includes(name) || (name === "variable" && language !== "bash")) {
    return "";
  }
  return { type: "keyword", subst: "string" }[name] ?? name;
};

// Each character with the innermost name from the library.
function coloursOfLibrary(code: string, language: string): readonly string[] {
  const open: string[] = [];
  const { value } = hljs.highlight(code, { language });
  return [...value.matchAll(/<span class="hljs-(\w+)[^"]*">|<\/span>|&(?:lt|gt|quot|#x27|amp);|./gs)].flatMap(([text, name]) => {
    if (name !== undefined) {
      open.push(name);
      return [];
    }
    if (text === "</span>") {
      open.pop();
      return [];
    }
    return [`${ENTITIES[text] ?? text} ${nameHere(open.at(-1) ?? "", language)}`];
  });
}

const colours = (code: string, language: CodeLanguage): readonly string[] =>
  partsOf(code, language).flatMap(({ text, kind = "" }) => Array.from(text, (character) => `${character} ${kind}`));

const NASTY = `it's "quoted" \\ $HOME \`id\` for new 日本`;
const search = OPERATIONS.map(callOf).find(({ rpc }) => rpc.endsWith("RadioService/SearchStations"));
const CALLS = [
  ...OPERATIONS.map(callOf),
  ...(search === undefined
    ? []
    : [
        { ...search, input: { name: NASTY } },
        { ...search, input: { tags: [`${NASTY},`] } },
      ]),
];
const SNIPPETS = CALLS.flatMap((call) =>
  [...shellSnippets(call), ...programSnippets(call)].map(({ title, language, code }) => ({
    name: `${call.rpc}, ${title}`,
    language,
    code,
  })),
);
const RESPONSES = OPERATIONS.map(({ rpc, recorded }) => ({
  name: `the response of ${rpc}`,
  language: "json" as const,
  code: JSON.stringify(recorded.response, undefined, 2),
}));

test.each([...SNIPPETS, ...RESPONSES])("$name", ({ code, language }) => {
  expect(colours(code, language)).toEqual(coloursOfLibrary(code, language));
});

test("the verb, status and names of a head are coloured", () => {
  expect(partsOf("GET /farkle/v1/score HTTP/1.1\r\naccept: a\r\nHTTP/1.1 200\r\n", "http")).toEqual([
    { text: "GET", kind: "keyword" },
    { text: " /farkle/v1/score " },
    { text: "HTTP/1.1", kind: "keyword" },
    { text: "\r\n" },
    { text: "accept", kind: "attr" },
    { text: ": a\r\n" },
    { text: "HTTP/1.1", kind: "keyword" },
    { text: " " },
    { text: "200", kind: "number" },
    { text: "\r\n" },
  ]);
});
