// The texts of the e-mails to customers: plain text, with at most one link, on a separate line.
import type { Mail } from "../mail/mail.ts";
import type { MemberRole } from "../store/owner-records.ts";

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
  text: `${inviter} invites you to share their account at ${hostOf(link)}, as ${articleOf(role)}.

Open this link within 7 days, and choose a password there, or sign in if you already have an account. It works once.

${link}

If you do not want to join, do nothing.
`,
});

/** What owners are told about, because somebody else may have done it. People are named by their e-mail addresses. */
export type SecurityEvent =
  | { readonly kind: "passwordChanged" | "twoFactorOn" | "twoFactorOff" | "recoveryCodesReplaced" }
  | { readonly kind: "passkeyAdded" | "passkeyRemoved"; readonly name: string }
  | {
      readonly kind: "memberInvited" | "memberJoined" | "ownerAppointed";
      readonly member: string;
      /** The account that it is about. */
      readonly account: string;
      readonly role: MemberRole;
      /** Who invited or appointed the member. */
      readonly by: string;
    };

const articleOf = (role: MemberRole): string => (role === "owner" ? "an owner" : `a ${role}`);

const CHANGE_PASSWORD =
  "If it was not you, change your password now, which ends all other sessions, and look through your account page:";

/** A notice to an owner that something which protects an account was changed. */
export function securityMail(to: string, event: SecurityEvent, publicUrl: string): Mail {
  const host = hostOf(publicUrl);
  const { subject, text, page = "/app/account" } = securityText(event, host);
  return { to, subject, text: `${text}\n\n${publicUrl}${page}\n` };
}

function securityText(
  event: SecurityEvent,
  host: string,
): { readonly subject: string; readonly text: string; readonly page?: string } {
  switch (event.kind) {
    case "passwordChanged":
      return {
        subject: `Your password at ${host} was changed`,
        text: `The password of your account at ${host} was changed, and all other sessions have ended.

If it was not you, ask for a new password now:`,
        page: "/app/forgot",
      };
    case "twoFactorOn":
      return {
        subject: `Two-factor authentication at ${host} was turned on`,
        text: `Two-factor authentication was turned on for your account at ${host}. Signing in now takes a code as well as the password.

${CHANGE_PASSWORD}`,
      };
    case "twoFactorOff":
      return {
        subject: `Two-factor authentication at ${host} was turned off`,
        text: `Two-factor authentication was turned off for your account at ${host}. The password alone is enough to sign in.

${CHANGE_PASSWORD}`,
      };
    case "recoveryCodesReplaced":
      return {
        subject: `Your recovery codes at ${host} were replaced`,
        text: `New recovery codes were made for your account at ${host}. The earlier ones no longer work.

${CHANGE_PASSWORD}`,
      };
    case "passkeyAdded":
      return {
        subject: `A passkey was added to your account at ${host}`,
        text: `The passkey "${event.name}" was added to your account at ${host}. Whoever has it can sign in without the password.

If it was not you, delete the passkey now, and change your password:`,
      };
    case "passkeyRemoved":
      return {
        subject: `A passkey was deleted from your account at ${host}`,
        text: `The passkey "${event.name}" was deleted from your account at ${host}, and can no longer be used to sign in.

${CHANGE_PASSWORD}`,
      };
    case "memberInvited":
      return {
        subject: `${event.member} was invited to ${event.account} at ${host}`,
        text: `${event.by} has invited ${event.member} to the account ${event.account} at ${host}, as ${articleOf(event.role)}.

Withdraw the invitation, if it should not have been sent, at:`,
        page: "/app/members",
      };
    case "memberJoined":
      return {
        subject: `${event.member} joined ${event.account} at ${host}`,
        text: `${event.member} has accepted an invitation to the account ${event.account} at ${host}, as ${articleOf(event.role)}.

Change the role, or remove the member, at:`,
        page: "/app/members",
      };
    case "ownerAppointed":
      return {
        subject: `${event.member} is now an owner of ${event.account} at ${host}`,
        text: `${event.by} has made ${event.member} an owner of the account ${event.account} at ${host}. Owners can change its plans and its members.

Change the role, or remove the member, at:`,
        page: "/app/members",
      };
  }
}

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
