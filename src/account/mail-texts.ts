// The texts of the e-mails to customers: plain text, with at most one link, on a separate line.
import type { Mail } from "../mail/mail.ts";
import type { MemberRole } from "../store/member-records.ts";

const hostOf = (link: string): string => new URL(link).host;

/** A new password was requested. */
export const resetMail = (to: string, link: string): Mail => ({
  to,
  subject: `Set a new password at ${hostOf(link)}`,
  text: `Someone asked for a new password for your account at ${hostOf(link)}.

Open this link within an hour to choose one. The link works once.

${link}

If it was not you, do nothing: your password stays as it is.
`,
});

/** The owner of an account verifies their address. */
export const verifyMail = (to: string, link: string): Mail => ({
  to,
  subject: `Verify your e-mail address for ${hostOf(link)}`,
  text: `Open this link within a day to verify the e-mail address of your account at ${hostOf(link)}. You will be asked for your password. The link works once.

${link}

If you did not create an account there, do nothing.
`,
});

export const signUpMail = (to: string, link: string): Mail => ({
  to,
  subject: `Finish signing up at ${hostOf(link)}`,
  text: `Someone signed up at ${hostOf(link)} with your e-mail address.

If it was you, open this link within a day, and choose a password for your account there. The link works once.

${link}

If it was not you, do nothing, and no account will be created.
`,
});

/** Someone invites a person to use an account. `inviter` is their e-mail address. */
export const invitationMail = (
  to: string,
  { inviter, role, link }: { readonly inviter: string; readonly role: MemberRole; readonly link: string },
): Mail => ({
  to,
  subject: `${inviter} invites you to share an account at ${hostOf(link)}`,
  text: `${inviter} invites you to share their account at ${hostOf(link)}, as ${role === "owner" ? "an owner" : `a ${role}`}.

Sign in with this e-mail address, or sign up with it first. Then open this link within 7 days. It works once.

${link}

If you do not want to join, do nothing.
`,
});

/** A notice to an owner: a person has accepted an invitation. */
export const memberJoinedMail = (
  to: string,
  {
    member,
    account,
    role,
    publicUrl,
  }: Readonly<Record<"member" | "account" | "publicUrl", string>> & { readonly role: MemberRole },
): Mail => ({
  to,
  subject: `${member} joined ${account} at ${hostOf(publicUrl)}`,
  text: `${member} has accepted an invitation to the account ${account} at ${hostOf(publicUrl)}, as ${role === "owner" ? "an owner" : `a ${role}`}.

Change the role, or remove the member, at:

${publicUrl}/app/members
`,
});

/** Someone signed up with the address of an account. */
export const accountExistsMail = (to: string, publicUrl: string): Mail => ({
  to,
  subject: `You have an account at ${hostOf(publicUrl)}`,
  text: `Someone signed up at ${hostOf(publicUrl)} with your e-mail address, which already has an account.

If it was you, sign in. If you have forgotten your password, ask for a new one:

${publicUrl}/app/forgot

If it was not you, do nothing: nothing has changed.
`,
});

/** The owner of an account changes its address. */
export const changeEmailMail = (to: string, link: string): Mail => ({
  to,
  subject: `Confirm your new e-mail address for ${hostOf(link)}`,
  text: `Someone asked to change the e-mail address of their account at ${hostOf(link)} to this one.

If it was you, open this link within a day, and enter your account's password. The link works once.

${link}

If it was not you, do nothing: without the password, nothing changes.
`,
});

/** Someone asked to change their account's address to that of another account. */
export const addressTakenMail = (to: string, publicUrl: string): Mail => ({
  to,
  subject: `You have an account at ${hostOf(publicUrl)}`,
  text: `Someone asked to use your e-mail address for another account at ${hostOf(publicUrl)}. Your address already has an account there, so it cannot be used for a second one.

If it was you, delete the account that has this address first, or choose another address.

If it was not you, do nothing: nothing has changed.
`,
});

/** A notice to an account's current address. */
export const emailChangeRequestedMail = (to: string, next: string, publicUrl: string): Mail => ({
  to,
  subject: `Your e-mail address for ${hostOf(publicUrl)} is about to change`,
  text: `Someone who knows your password asked to change the e-mail address of your account at ${hostOf(publicUrl)} to ${next}. It changes once someone opens the link we sent there and enters your password.

If it was you, you do not need to do anything here.

If it was not you, change your password now, so that the link stops working. You can do that on your account page:

${publicUrl}/app/account
`,
});

/** An operator has turned two-factor authentication off, and deleted the passkeys. */
export const twoFactorResetMail = (to: string, publicUrl: string): Mail => ({
  to,
  subject: `Two-factor authentication at ${hostOf(publicUrl)} was reset`,
  text: `The operator of ${hostOf(publicUrl)} has turned off two-factor authentication for your account, and deleted its passkeys. You have been signed out everywhere, and can now sign in with your password alone.

If you asked for this, turn two-factor authentication on again:

${publicUrl}/app/account

If you did not, change your password there now, and tell the operator.
`,
});

/** A notice to an account's former address. */
export const emailChangedMail = (to: string, next: string, publicUrl: string): Mail => ({
  to,
  subject: `Your e-mail address for ${hostOf(publicUrl)} was changed`,
  text: `The e-mail address of your account at ${hostOf(publicUrl)} is now ${next}. Sign in with that address from now on; we will no longer send e-mails to this one.

If it was not you, ask the operator of ${hostOf(publicUrl)} for help.
`,
});
