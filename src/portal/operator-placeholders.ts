// The placeholders in the terms, privacy and support pages, which an operator fills in with settings.
import type { OperatorConfig } from "../config/operator.ts";

interface Placeholder {
  /** The placeholder as it is in the page. */
  readonly text: string;
  readonly setting: string;
  readonly read: (operator: OperatorConfig) => string | undefined;
}

export const PAGES_WITH_PLACEHOLDERS: ReadonlySet<string> = new Set(["/docs/terms", "/docs/privacy", "/docs/support"]);

const PLACEHOLDERS: readonly Placeholder[] = [
  { text: "[operator name]", setting: "QUINTET_OPERATOR_NAME", read: ({ name }) => name },
  { text: "[operator address]", setting: "QUINTET_OPERATOR_ADDRESS", read: ({ address }) => address },
  { text: "[support contact]", setting: "QUINTET_SUPPORT_CONTACT", read: ({ supportContact }) => supportContact },
  { text: "[governing law]", setting: "QUINTET_GOVERNING_LAW", read: ({ governingLaw }) => governingLaw },
];

// The paragraph for the operator at the top of a template, in HTML and in Markdown.
const NOTES = [/<p>This is a template\..*?<\/p>/s, /^This is a template\..*?\n\n/ms];

/**
 * A page with its placeholders filled in. Once the operator has set all of those that are in it, it no longer says that it is a template.
 * `written` escapes a value for the page's format.
 */
export function fillPlaceholders(page: string, operator: OperatorConfig, written: (text: string) => string): string {
  const found = PLACEHOLDERS.filter(({ text }) => page.includes(text));
  const isComplete = found.every(({ read }) => read(operator) !== undefined);
  const begun = isComplete ? NOTES.reduce((text, note) => text.replace(note, ""), page) : page;
  return found.reduce(
    (text, { text: placeholder, setting, read }) =>
      text.replaceAll(placeholder, () => written(read(operator) ?? `(not set by the operator of this server: ${setting})`)),
    begun,
  );
}
