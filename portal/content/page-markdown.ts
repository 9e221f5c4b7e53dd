// The pages of the site as Markdown, for agents and for readers who prefer it. Each has the same content as its page.
import { PLANS_MARKDOWN_PLACEHOLDER } from "../../src/portal/plan-tables.ts";
import { commentMarkdown, GUIDE_GROUPS, markdownPathOf } from "./guides.ts";
import { openApi } from "./openapi.ts";
import { OPERATIONS, type OperationPage } from "./operations.ts";
import { PROMISES } from "./promises.ts";
import { PLAN_QUESTIONS } from "./questions.ts";
import { FIRST_CALLS, FIRST_REASONS, FIRST_RESPONSE } from "./quickstart.ts";
import { REASON_PAGES, type ReasonPage } from "./reasons.ts";
import { SERVICES, TITLES_OF_SERVICES, titleOfTag } from "./services.ts";

/** A page in the site's lists: llms.txt, and the files of Markdown. */
export interface ListedPage {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly markdown: string;
}

const page = (...paragraphs: readonly string[]): string => `${paragraphs.join("\n\n")}\n`;
const link = (text: string, path: string): string => `[${text}](${markdownPathOf(path)})`;
const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");
const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => "---"), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(" | ")} |`).join("\n");

const promises = (): string => list(PROMISES.map(([term, description]) => `${term}: ${description}`));

const SECTIONS = ["docs", "reference", "errors", "plans", "status"] as const;

export const frontMarkdown = (): string =>
  page(
    "# Quintet",
    `${TITLES_OF_SERVICES}: behind one gateway, with one key, as REST, Connect, gRPC and gRPC-Web.`,
    list(SERVICES.map(({ title, summary, firstCall }) => `${title}: ${summary} First call: \`GET ${firstCall}\``)),
    "## What you can count on",
    promises(),
    list(SECTIONS.map((section) => link(section, `/${section}`))),
  );

/** The plans, which the server inserts. */
export const PLANS_MARKDOWN: string = page(
  "# Plans",
  "What each service costs, and how many calls it includes.",
  PLANS_MARKDOWN_PLACEHOLDER,
  "## In every plan",
  promises(),
  "## Questions",
  ...PLAN_QUESTIONS.map(([question, response]) => `**${question}** ${response}`),
);

/** What the status page measures. The measurements themselves are on the page and in GetStatus. */
export const STATUS_MARKDOWN: string = page(
  "# Status",
  "The measured availability and latency of each service and its data source over the last 90 days.",
  "`GET /account/v1/status` returns them as JSON, without a key or a session: see [GetStatus](/reference/status/get-status.md). It also returns incidents and maintenance that operators have published.",
  "Availability is the share of customers' calls that did not fail because of us: this server, its database, or the source of the data. Calls that were refused because of a key, a plan or a limit are not counted.",
);

export const guidesMarkdown = (): string =>
  page(
    "# Docs",
    ...GUIDE_GROUPS.flatMap(({ title, guides }) => [
      `## ${title}`,
      list(
        guides.map((guide) =>
          guide.about === "" ? link(guide.title, guide.path) : `${link(guide.title, guide.path)}: ${guide.about}`,
        ),
      ),
    ]),
  );

/** The first call, in each language. */
export const quickstartMarkdown = (): string =>
  page(
    "# Quickstart",
    "From zero to your first call in about two minutes. No card needed.",
    "## 1. Get a key",
    "Sign up at `/app/sign-up?next=/app?service=farkle`: you get the free plan of Farkle, and a key, which is shown only once. `/app/subscriptions` and `/app/keys` have more.",
    "## 2. Set the KEY variable",
    "Every example takes the key from the environment variable `KEY`: `export KEY='qk_live_…'`, in PowerShell `$env:KEY = 'qk_live_…'`.",
    "## 3. Make the call",
    ...FIRST_CALLS.flatMap(({ title, code, language, needs, file, commands }) => [
      `### ${title}`,
      commentMarkdown(`You need ${needs}.${file === undefined ? " Paste this into a shell:" : ` Save this as \`${file}\`:`}`),
      `\`\`\`${language}\n${code}\n\`\`\``,
      ...(commands === "" ? [] : [`Run it: \`${commands}\``]),
    ]),
    "## 4. Read the response",
    "Over REST, the result is in `data`. In the other protocols, it is the message itself, with field names in camel case.",
    json(FIRST_RESPONSE),
    "## If the call fails",
    table(
      ["reason", "HTTP", "what to do"],
      FIRST_REASONS.map(({ reason, path, httpStatus, whatToDo }) => [
        link(reason, path),
        String(httpStatus),
        commentMarkdown(whatToDo),
      ]),
    ),
  );

export const referenceMarkdown = (): string =>
  page(
    "# Reference",
    ...openApi.tags.flatMap(({ name }) => [
      `## ${titleOfTag(name)}`,
      list(OPERATIONS.filter(({ tag }) => tag === name).map((one) => `${link(one.name, one.path)}: ${one.summary}`)),
    ]),
  );

export function operationMarkdown(operation: OperationPage): string {
  const { name, tag, verb, restPath, rpc, description, parameters, response, messages, errors, recorded } = operation;
  return page(
    `# ${name}`,
    titleOfTag(tag),
    list([`REST: \`${verb} ${restPath}\``, `gRPC, Connect, gRPC-Web: \`POST /${rpc}\``]),
    commentMarkdown(description),
    "## Parameters",
    commentMarkdown(parameters),
    "## Response",
    commentMarkdown(response),
    ...messages.flatMap((message) => [`### ${message.name}`, commentMarkdown(message.table)]),
    "## Example",
    "The input:",
    json(recorded.request),
    operation.isStream ? "The first message:" : "The response:",
    json(recorded.response),
    "## Errors",
    table(
      ["HTTP", "reason", "meaning"],
      errors.map(({ status, reason, meaning }) => [String(status), link(reason, `/errors/${reason}`), commentMarkdown(meaning)]),
    ),
  );
}

export const reasonsMarkdown = (): string =>
  page(
    "# Errors",
    "Every error has exactly one of these reasons, the same in all protocols.",
    table(
      ["reason", "HTTP", "RPC code", "meaning"],
      REASON_PAGES.map(({ path, reason, httpStatus, code, meaning }) => [
        link(reason, path),
        String(httpStatus),
        code,
        commentMarkdown(meaning),
      ]),
    ),
  );

export const reasonMarkdown = ({
  reason,
  meaning,
  whatToDo,
  httpStatus,
  code,
  isCounted,
  hasRetryDelay,
  example,
}: ReasonPage): string =>
  page(
    `# ${reason}`,
    commentMarkdown(meaning),
    "## What to do",
    commentMarkdown(whatToDo),
    "## In each protocol",
    list([
      `REST: HTTP ${httpStatus}`,
      `gRPC and Connect: ${code}`,
      `Counts against the monthly quota: ${isCounted ? "yes, if the call was admitted" : "no"}`,
      `When to try again: ${hasRetryDelay ? "after the delay in Retry-After or google.rpc.RetryInfo" : "not specified"}`,
    ]),
    ...(example === undefined ? [] : ["## Over REST", json(example)]),
  );

const MACHINE_READABLE = [
  "[OpenAPI document](/openapi.json): every REST operation",
  "[Descriptors](/descriptors.binpb): a google.protobuf.FileDescriptorSet, for gRPC and Connect clients",
  "[API catalog](/.well-known/api-catalog): the same, as links (RFC 9727)",
  "`/mcp`: the methods as tools of the Model Context Protocol",
];

const TITLES: Readonly<Record<string, string>> = {
  docs: "Docs",
  reference: "Reference",
  errors: "Errors",
  plans: "Plans",
  status: "Status",
};

/** A list for models to read first: every page, by section. https://llmstxt.org */
export function llmsText(pages: readonly ListedPage[]): string {
  const linesOf = (section: string): string =>
    list(
      pages
        .filter(({ path }) => path === `/${section}` || path.startsWith(`/${section}/`))
        .map(({ path, title, description }) => `${link(title, path)}: ${description}`),
    );
  const front = pages.find(({ path }) => path === "/");
  return page(
    "# Quintet",
    `> ${front?.description ?? ""}`,
    `Every page of this site is available as Markdown: add .md to its path. ${link("The front page", "/")}.`,
    "## For programs",
    list(MACHINE_READABLE),
    ...SECTIONS.flatMap((section) => [`## ${TITLES[section] ?? section}`, linesOf(section)]),
  );
}
