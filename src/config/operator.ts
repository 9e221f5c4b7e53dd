// Who runs the server, for the terms, privacy and support pages. All of it is public.
import type { Environment } from "./environment.ts";

/** Settings that are left out are undefined. */
export interface OperatorConfig {
  readonly name: string | undefined;
  readonly address: string | undefined;
  readonly supportContact: string | undefined;
  readonly governingLaw: string | undefined;
}

/** Reads who runs the server. */
export const readOperatorConfig = (environment: Environment): OperatorConfig => ({
  name: environment.optionalText(
    "QUINTET_OPERATOR_NAME",
    "Who runs this server, such as `Example Ltd`. Shown on the terms and privacy pages, and in `/openapi.json`.",
  ),
  address: environment.optionalText(
    "QUINTET_OPERATOR_ADDRESS",
    "The operator's postal address, on one line. Shown in the same places.",
  ),
  supportContact: environment.optionalText(
    "QUINTET_SUPPORT_CONTACT",
    "Where customers get help, such as `support@example.com`. Shown on the support, terms and privacy pages, and in `/openapi.json` and `/.well-known/security.txt` if it is an e-mail address or a URL.",
  ),
  governingLaw: environment.optionalText("QUINTET_GOVERNING_LAW", "The country whose law governs the terms, such as `Ireland`."),
});
