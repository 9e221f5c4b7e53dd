// The guides: the pages of docs/, in the groups in which docs/README.md lists them.
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { pages, readPage } from "../../scripts/docs/tables.ts";
import { type Heading, renderMarkdown } from "./markdown.ts";

export interface GuidePage {
  /** Its path: `/docs/limits`. */
  readonly path: string;
  readonly title: string;
  /** What it covers, as docs/README.md says, in plain text; empty for a page that is not listed. */
  readonly about: string;
  readonly html: string;
  /** The same as Markdown, with links as `markdownPathOf` writes them. */
  readonly markdown: string;
  readonly headings: readonly Heading[];
}

/** Guides for one kind of reader. */
export interface GuideGroup {
  readonly title: string;
  readonly guides: readonly GuidePage[];
}

const INDEX = "docs/README.md";
const CHANGELOG = "CHANGELOG.md";

// Where a file of the project is on the site; undefined if it is not on the site.
function sitePathOf(file: string): string | undefined {
  if (file === "README.md") {
    return "/";
  }
  if (file === CHANGELOG) {
    return "/docs/changelog";
  }
  if (file === INDEX || file === "docs") {
    return "/docs";
  }
  return file.startsWith("docs/") && file.endsWith(".md") ? `/${file.slice(0, -3)}` : undefined;
}

/** Where a link of `page` leads on the site. A URL of another site is not changed. */
function linkFrom(page: string, href: string): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) {
    return href;
  }
  const [file = "", anchor] = href.split("#");
  const path = sitePathOf(posix.join(posix.dirname(page), file));
  // The front page says the same as README.md, but its sections differ, so the anchor is dropped.
  return path === undefined || path === "/" || anchor === undefined ? path : `${path}#${anchor}`;
}

function readGuide(file: string, about: string): GuidePage {
  const text = readPage(file);
  const { html, headings } = renderMarkdown(text, (href) => linkFrom(file, href));
  const title = headings[0]?.text ?? file;
  return { path: sitePathOf(file) ?? "", title, about, html, markdown: withSiteLinks(text, file), headings: headings.slice(1) };
}

/** Where the Markdown of a page of the site is: `/docs/limits.md` for `/docs/limits`. An anchor stays. */
export function markdownPathOf(path: string): string {
  const [page = "", anchor] = path.split("#");
  const markdown = page === "/" ? "/index.md" : `${page}.md`;
  return anchor === undefined ? markdown : `${markdown}#${anchor}`;
}

// Links of `file` to pages of the site lead to their Markdown. Links to other files become plain text. Code stays as it is.
const withSiteLinks = (text: string, file: string): string =>
  text
    .replaceAll(/^<!-- .* -->\n\n?/gm, "")
    .split(/(^```[\s\S]*?^```)/m)
    .map((part) =>
      part.startsWith("```") ? part : part.replaceAll(LINK, (_, text: string, href: string) => linked(text, linkFrom(file, href))),
    )
    .join("");

const LINK = /\[([^\]]*)\]\(([^()\s]+)\)/g;

const linked = (text: string, href: string | undefined): string =>
  href === undefined ? text : `[${text}](${/^\/(?!openapi|descriptors|grpc-service)/.test(href) ? markdownPathOf(href) : href})`;

// `| [rest.md](rest.md) | How input is given … |` under `## Using the API`.
function readGroups(): readonly GuideGroup[] {
  const index = readFileSync(new URL(`../../${INDEX}`, import.meta.url), "utf8");
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const rows = [...section.matchAll(/^\|(.*)\|(.*)\|$/gm)].flatMap(([, left = "", right = ""]) => {
        const cells = [left, right];
        const target = cells.map((cell) => /\]\(([^)]+\.md)\)/.exec(cell)?.[1]).find((href) => href !== undefined);
        const about =
          cells
            .find((cell) => !cell.includes("]("))
            ?.trim()
            .replaceAll("`", "") ?? "";
        return target === undefined ? [] : [{ file: posix.join("docs", target), about }];
      });
      return {
        title: section.split("\n", 1)[0] ?? "",
        guides: rows.filter(({ file }) => sitePathOf(file) !== undefined).map(({ file, about }) => readGuide(file, about)),
      };
    });
}

/** The guides that docs/README.md lists. */
export const GUIDE_GROUPS: readonly GuideGroup[] = readGroups();

const listed = new Map(GUIDE_GROUPS.flatMap(({ guides }) => guides.map((guide) => [guide.path, guide] as const)));

/** The groups for those who only call the services: the first two of the index. The others are for operators and contributors. */
export const CUSTOMER_GROUPS = GUIDE_GROUPS.slice(0, 2);

/** The groups for operators and contributors. */
export const OTHER_GROUPS = GUIDE_GROUPS.slice(2);

/** All guides: each page of docs/ once, except the index page. */
export const GUIDES: readonly GuidePage[] = [
  ...listed.values(),
  ...pages()
    .filter((file) => file.startsWith("docs/") && file !== INDEX && !listed.has(sitePathOf(file) ?? ""))
    .map((file) => readGuide(file, "")),
];

/** Prose of a proto's comment, in Markdown, for a page's Markdown. */
export const commentMarkdown = (markdown: string): string => withSiteLinks(markdown, INDEX);

/** Prose of a proto's comment, in Markdown, as HTML. `title` is above it on the page, and names its tables. */
export const commentHtml = (markdown: string, title?: string): string =>
  renderMarkdown(markdown, (href) => linkFrom(INDEX, href), title).html;
