// The texts of the e-mails to customers: plain text, with at most one link, on a separate line.
import type { Mail } from "../mail/mail.ts";

const hostOf = (link: string): string => new URL(link).host;

/** A new password was requested. */
export const resetMail = (to: string, link: string): Mail => ({
  to,
  subject: `Set a new password at ${hostOf(link)}`,
  text: `Somebody asked for a new password for your account at ${hostOf(link)}.

Open this link within an hour to choose one. It works once.

${link}

If it was not you, do nothing: your password stays as it is.
`,
});

/** The owner of an account verifies their address. */
export const verifyMail = (to: string, link: string): Mail => ({
  to,
  subject: `Verify your address at ${hostOf(link)}`,
  text: `Open this link within a day to verify your e-mail address at ${hostOf(link)}. It asks for your account's password, and works once.

${link}

If you have not made an account there, do nothing.
`,
});

export const signUpMail = (to: string, link: string): Mail => ({
  to,
  subject: `Finish signing up at ${hostOf(link)}`,
  text: `Somebody signed up at ${hostOf(link)} with your e-mail address.

If it was you, open this link within a day, and choose the password of your account there. It works once.

${link}

If it was not you, do nothing, and there will be no account.
`,
});

/** Somebody signed up with the address of an account. */
export const accountExistsMail = (to: string, publicUrl: string): Mail => ({
  to,
  subject: `You have an account at ${hostOf(publicUrl)}`,
  text: `Somebody signed up at ${hostOf(publicUrl)} with your e-mail address, which already has an account.

If it was you, sign in. If you have forgotten your password, ask for a new one:

${publicUrl}/app/forgot

If it was not you, do nothing: nothing has changed.
`,
});
