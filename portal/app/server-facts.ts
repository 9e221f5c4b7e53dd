// What this server can do, as its pages say from the start. See src/portal/server-facts.ts.

/** Whether it sends e-mails. */
export const sendsMail = (): boolean => document.getElementById("sends-mail") !== null;

/** Whether paid plans are bought by card. */
export const takesCards = (): boolean => document.getElementById("takes-cards") !== null;

/** The origin at which passkeys can be created and used; undefined if the server supports none. */
export const passkeyOrigin = (): string | undefined => document.querySelector<HTMLDataElement>("#passkeys")?.value;
