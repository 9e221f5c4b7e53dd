// What this server can do, as its pages say from the start. See src/portal/server-facts.ts.

/** Whether it sends e-mails. */
export const sendsMail = (): boolean => document.getElementById("sends-mail") !== null;

/** Whether paid plans are bought by card. */
export const takesCards = (): boolean => document.getElementById("takes-cards") !== null;

/** The providers with which people may sign in, such as `google`, with their titles. */
export const identityProviders = (): readonly (readonly [name: string, title: string])[] =>
  [...document.querySelectorAll<HTMLDataElement>("data.identity-provider")].map(({ value, textContent }) => [
    value,
    textContent ?? "",
  ]);

/** The origin at which passkeys can be created and used; undefined if the server supports none. */
export const passkeyOrigin = (): string | undefined => document.querySelector<HTMLDataElement>("#passkeys")?.value;
