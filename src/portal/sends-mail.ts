// Tells the page for signing up that this server sends mail: the password is then chosen at the link in the e-mail, and nowhere else.

/** The value of `data-placeholder` on the element that is replaced if the server sends mail. */
export const SENDS_MAIL_PLACEHOLDER = "sends-mail";

/** The element that scripts look for. */
export const SENDS_MAIL_ELEMENT = `<data id="sends-mail" hidden></data>`;
