// Tells the pages of the application, before they have asked the server anything, what this server can do: whether it sends e-mails, so
// that people choose their password with the link in one, and where passkeys work.
import { escapedHtml } from "./plan-figures.ts";

/** The value of `data-placeholder` on the element that the facts replace. */
export const SERVER_FACTS_PLACEHOLDER = "server-facts";

/** What differs between servers. */
export interface ServerFacts {
  readonly sendsMail: boolean;
  /** The origin at which passkeys can be created and used; undefined if the server supports none. */
  readonly passkeyOrigin: string | undefined;
}

/** The elements that scripts look for, by their ids. */
export const serverFactsElements = ({ sendsMail, passkeyOrigin }: ServerFacts): string =>
  [
    sendsMail ? `<data id="sends-mail" hidden></data>` : "",
    passkeyOrigin === undefined ? "" : `<data id="passkeys" value="${escapedHtml(passkeyOrigin)}" hidden></data>`,
  ].join("");
