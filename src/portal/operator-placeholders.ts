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

/** A page with its placeholders filled in. `written` escapes a value for the page's format. */
export const fillPlaceholders = (page: string, operator: OperatorConfig, written: (text: string) => string): string =>
  PLACEHOLDERS.reduce(
    (text, { text: placeholder, setting, read }) =>
      text.replaceAll(placeholder, () => written(read(operator) ?? `(not set by the operator of this server: ${setting})`)),
    page,
  );
