// Tells the pages of the application, before they have asked the server anything, what this server can do: whether it sends e-mails, so
// that people choose their password with the link in one, whether it takes cards, with which providers they sign in, and where passkeys
// work.
import { escapedHtml } from "./plan-figures.ts";

/** The value of `data-placeholder` on the element that the facts replace. */
export const SERVER_FACTS_PLACEHOLDER = "server-facts";

/** What differs between servers. */
export interface ServerFacts {
  readonly sendsMail: boolean;
  /** Whether paid plans are bought by card. */
  readonly takesCards: boolean;
  /** The providers with which people may sign in. */
  readonly identityProviders: readonly { readonly name: string; readonly title: string }[];
  /** The origin at which passkeys can be created and used; undefined if the server supports none. */
  readonly passkeyOrigin: string | undefined;
}

/** The elements that scripts look for, by their ids. */
export const serverFactsElements = ({ sendsMail, takesCards, identityProviders, passkeyOrigin }: ServerFacts): string =>
  [
    sendsMail ? `<data id="sends-mail" hidden></data>` : "",
    takesCards ? `<data id="takes-cards" hidden></data>` : "",
    ...identityProviders.map(
      ({ name, title }) => `<data class="identity-provider" value="${name}" hidden>${escapedHtml(title)}</data>`,
    ),
    passkeyOrigin === undefined ? "" : `<data id="passkeys" value="${escapedHtml(passkeyOrigin)}" hidden></data>`,
  ].join("");
