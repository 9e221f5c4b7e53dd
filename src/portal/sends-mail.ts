// Tells the sign-up page that this server sends e-mails. Then people choose their password with the link in the e-mail, not on this page.

/** The value of `data-placeholder` on the element that is replaced if the server sends mail. */
export const SENDS_MAIL_PLACEHOLDER = "sends-mail";

/** The element that scripts look for. */
export const SENDS_MAIL_ELEMENT = `<data id="sends-mail" hidden></data>`;
