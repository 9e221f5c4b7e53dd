// Markdown as HTML: the guides, and the comments of the protos. Code is coloured here, when the site is built, so that pages need no script
// for it.
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
import yaml from "highlight.js/lib/languages/yaml";
import { Marked, type Tokens } from "marked";
import { flowchartTable } from "./flowchart.ts";

const LANGUAGES = { bash, csharp, go, java, json, php, python, rust, typescript, yaml };
const ALIASES: Readonly<Record<string, string>> = { sh: "bash", ts: "typescript", js: "typescript", yml: "yaml", json5: "json" };

for (const [name, language] of Object.entries(LANGUAGES)) {
  hljs.registerLanguage(name, language);
}

export interface Heading {
  readonly id: string;
  /** Without markup. */
  readonly text: string;
  /** 1 to 6. */
  readonly depth: number;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// The text of a heading that contains HTML.
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? "");

// Outside attributes, quotation marks need no escape.
const escapeText = (text: string): string => text.replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? "");

// Code with its words in `<span>`s, as HTML. Code in an unknown language is left plain.
function highlight(code: string, language: string): string {
  const name = ALIASES[language] ?? language;
  return name in LANGUAGES ? withoutUncoloured(hljs.highlight(code, { language: name }).value) : escapeText(code);
}

// The kinds of words that styles/code.css colours.
const COLOURED = /^hljs-(?:attr|attribute|built_in|comment|keyword|literal|number|property|string|symbol|title|type|variable)$/;

// Without the `<span>`s of other words, such as punctuation, and without the escapes that only attributes need: they are a third of a page
// with much JSON.
function withoutUncoloured(html: string): string {
  const areOpen: boolean[] = [];
  const text = html.replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
  return text.replaceAll(/<span class="([\w-]+)[^"]*">|<\/span>/g, (tag, kind: string | undefined) => {
    if (kind === undefined) {
      return areOpen.pop() === true ? tag : "";
    }
    const isColoured = COLOURED.test(kind);
    areOpen.push(isColoured);
    return isColoured ? `<span class="${kind}">` : "";
  });
}

/** A block of code as HTML that can be scrolled by keyboard. */
export const codeBlock = (code: string, language: string): string =>
  `<pre tabindex="0"><code>${highlight(code, language)}</code></pre>`;

/** The anchor of a heading, as GitHub makes it: the guides link to each other by these. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/**
 * Renders Markdown. `linkTo` returns where a link in it leads on the site; undefined if there is no such page, so that only its text stays.
 * `title` is above it on the page, and names its tables if it has no headings.
 */
export function renderMarkdown(markdown: string, linkTo: (href: string) => string | undefined, title = ""): RenderedMarkdown {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const plain = text.replaceAll(/`|\[([^\]]*)\]\([^)]*\)/g, "$1");
        const id = anchorOf(plain);
        headings.push({ id, text: plain, depth });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text, lang = "" }: Tokens.Code) {
        return (lang === "mermaid" ? flowchartTable(text, escapeHtml) : undefined) ?? codeBlock(text, lang);
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const target = linkTo(href);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      // HTML in a comment or a guide is escaped, and no picture is loaded.
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return text.startsWith("<!--") ? "" : escapeHtml(text);
      },
      image({ text }: Tokens.Image) {
        return escapeHtml(text);
      },
    },
  });
  return { html: withScrollableTables(marked.parse(markdown, { async: false }) as string, title), headings };
}

// A wide table scrolls on its own, also by keyboard; the page does not. Each table is named after the heading above it, or else its
// columns, so that users of screen readers can tell the tables apart.
function withScrollableTables(html: string, title: string): string {
  const named = new Map<string, number>();
  return html
    .split(/(?=<h[1-6] )/)
    .map((section) => {
      const heading = plainText(/^<h[1-6] [^>]*>(.*?)<\/h[1-6]>/s.exec(section)?.[1] ?? "");
      return section.replaceAll(/<table>[\s\S]*?<\/table>/g, (table) => {
        const name =
          heading || title || Array.from(table.matchAll(/<th[^>]*>(.*?)<\/th>/gs), ([, text = ""]) => plainText(text)).join(", ");
        const count = (named.get(name) ?? 0) + 1;
        named.set(name, count);
        const label = `Table: ${name}${count > 1 ? ` (${count})` : ""}`;
        return `<div class="table" role="region" aria-label="${label}" tabindex="0">${stacked(headed(table))}</div>`;
      });
    })
    .join("");
}

// Quotation marks would end the attribute.
const plainText = (html: string): string => html.replaceAll(/<[^>]*>/g, "").replaceAll('"', "&quot;");

// The guides write column headings in lower case; the site starts them with a capital, as in all its tables.
const headed = (table: string): string =>
  table.replaceAll(/(<th[^>]*>)([a-z])(?=[a-z ])/g, (_, tag: string, letter: string) => tag + letter.toUpperCase());

const COLUMNS_MIN = 3;
const EXPLANATION_CHARACTERS_MIN = 40;
const LONG_VALUE_CHARACTERS_MIN = 60;

// A phone would hide the last column of a table that explains something, or that has long values such as formulas before it. So it shows
// each row as a list: each cell but the first, which names the row, follows the heading of its column. A table of short values stays a
// table, because they are there to be compared.
function stacked(table: string): string {
  const headings = Array.from(table.matchAll(/<th[^>]*>(.*?)<\/th>/gs), ([, text = ""]) => plainText(text));
  const lengths = Array.from(table.matchAll(/<td[^>]*>(.*?)<\/td>/gs), ([, cell = ""]) => plainText(cell).length);
  const isLong = (length: number, cell: number): boolean =>
    length >= ((cell + 1) % headings.length === 0 ? EXPLANATION_CHARACTERS_MIN : LONG_VALUE_CHARACTERS_MIN);
  if (headings.length < COLUMNS_MIN || !lengths.some(isLong)) {
    return table;
  }
  return table.replace("<table>", '<table class="stacked">').replaceAll(/<tr>.*?<\/tr>/gs, (row) => {
    let column = 0;
    return row.replaceAll(/<td(?=[ >])/g, (tag) => {
      const heading = column === 0 ? "" : ` data-heading="${headings[column]}"`;
      column += 1;
      return tag + heading;
    });
  });
}
