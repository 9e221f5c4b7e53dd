// What an entry of the audit trail says, in words: `created key website (…wxyz)`.
import { formatCount, formatNumber, formatShareUsed, planTitle, serviceTitle } from "./formats.ts";
import { programOf } from "./user-agent.ts";

/** An entry, as the server sends it to customers and operators. */
interface RecordedAction {
  readonly action: string;
  readonly details: readonly { readonly name: string; readonly value: string }[];
}

type Details = Readonly<Record<string, string | undefined>>;
type Describe = (details: Details) => string;

const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
const LIST = new Intl.ListFormat("en", { type: "conjunction" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

const monthOf = ({ month = "" }: Details): string => (Number.isNaN(Date.parse(month)) ? month : MONTH.format(Date.parse(month)));
const titleOf = ({ service = "" }: Details): string => serviceTitle(service);

// `the Pro plan for Farkle`
const planOf = (details: Details, plan = details.plan): string => `the ${planTitle(plan ?? "")} plan for ${titleOf(details)}`;

const keyOf = ({ name = "", last_four: lastFour = "" }: Details): string => `key ${name} (…${lastFour})`;

// Which services the key may call, and when it expires.
function boundsOf({ services, expires_at: expiresAt }: Details): string {
  const named = services === undefined || services === "" ? [] : services.split(",").map(serviceTitle);
  const bounds = [
    ...(named.length === 0 ? [] : [`for ${LIST.format(named)} only`]),
    ...(expiresAt === undefined ? [] : [`expiring on ${DAY.format(Date.parse(expiresAt))}`]),
  ];
  return bounds.map((bound) => `, ${bound}`).join("");
}

const withRole = (role = "member"): string => (role === "owner" ? "an owner" : `a ${role}`);

const describeSubscription: Describe = (details) =>
  details.state === "requested"
    ? `requested ${planOf(details)}`
    : `subscribed to ${titleOf(details)} on the ${planTitle(details.plan ?? "")} plan`;

const describeRequest: Describe = (details) =>
  details.requested_plan === undefined
    ? `chose ${planOf(details)}`
    : `requested ${planOf(details, details.requested_plan)}, still on ${planTitle(details.plan ?? "")}`;

const describeDecline: Describe = (details) =>
  details.state === "cancelled"
    ? `declined ${planOf(details)}`
    : `declined a plan change for ${titleOf(details)}, which stays on ${planTitle(details.plan ?? "")}`;

const describeRaise: Describe = (details) =>
  details.percent === undefined
    ? `marked ${formatNumber(Number(details.seconds))} s of calls, at each plan's full rate, as used in ${monthOf(details)}`
    : `marked ${formatShareUsed(Number(details.percent) / 100)} of each plan's calls for ${monthOf(details)} as used`;

const describeCredit: Describe = (details) => {
  const calls = `added ${formatCount(Number(details.calls), "call")} to ${titleOf(details)} for ${monthOf(details)}`;
  return details.reason === undefined ? calls : `${calls}: ${details.reason}`;
};

const describePayment: Describe = ({ service, plan, price, status, granted, because, unpaid_since: since }) =>
  [
    `learned from Stripe that the payment for ${plan ?? service}${price === undefined ? "" : `, ${price} a month,`} is ${status}`,
    ...(since === undefined ? [] : [`unpaid since ${since.slice(0, 10)}`]),
    ...(granted === "false" ? ["the plan is not given"] : []),
    ...(because === undefined ? [] : [`because of: ${because}`]),
  ].join("; ");

const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  "account.create": () => "created the account",
  "account.sign_up": () => "signed up",
  "account.sign_in": ({ user_agent: userAgent, passkey }) =>
    `signed in ${passkey === undefined ? "" : `with passkey ${passkey}, `}using ${userAgent === undefined ? "an unknown program" : programOf(userAgent)}`,
  "account.suspend": () => "suspended the account",
  "account.resume": () => "resumed the account",
  "account.appoint_operator": () => "made the account an operator",
  "account.dismiss_operator": () => "removed the account's operator rights",
  "account.draw_password": () => "generated a new password",
  "account.change_password": () => "changed the password",
  "account.reset_password": () => "reset the password with a mailed link",
  "account.verify_email": () => "verified the e-mail address",
  "account.change_email": ({ from, to }) => `changed the e-mail address from ${from} to ${to}`,
  "account.update_alerts": ({ not_mailed: muted }) =>
    muted === undefined || muted === ""
      ? "turned on e-mail for all alerts"
      : `turned off e-mail for alerts: ${muted.replaceAll(",", ", ")}`,
  "account.turn_on_two_factor": () => "turned on two-factor authentication",
  "account.turn_off_two_factor": () => "turned off two-factor authentication",
  "account.replace_recovery_codes": () => "replaced the recovery codes",
  "account.use_recovery_code": ({ user_agent: userAgent }) =>
    userAgent === undefined ? "signed in with a recovery code" : `signed in with a recovery code, using ${programOf(userAgent)}`,
  "account.add_passkey": ({ name }) => `created passkey ${name}`,
  "account.rename_passkey": ({ name, former_name: former }) => `renamed passkey ${former} to ${name}`,
  "account.remove_passkey": ({ name }) => `deleted passkey ${name}`,
  "account.keep_parameters": () => "turned on the logging of parameters",
  "account.drop_parameters": () => "turned off the logging of parameters",
  "account.delete": () => "deleted the account",
  "key.create": (details) => `created ${keyOf(details)}${boundsOf(details)}`,
  "key.update": (details) => `edited ${keyOf(details)}${boundsOf(details)}`,
  "key.disable": (details) => `disabled ${keyOf(details)}`,
  "key.enable": (details) => `enabled ${keyOf(details)}`,
  "key.rotate": (details) => `rotated ${keyOf(details)}: the new one ends in ${details.next_last_four}`,
  "key.revoke": (details) => `revoked ${keyOf(details)}`,
  "subscription.create": describeSubscription,
  "subscription.request": describeRequest,
  "subscription.activate": (details) => `activated ${planOf(details)}`,
  "subscription.decline": describeDecline,
  "subscription.cancel": (details) => `cancelled ${planOf(details)}`,
  "subscription.move": (details) => `moved the subscription to ${planOf(details)}, as announced`,
  "payment.update": describePayment,
  "plans.apply": () => "changed the plans on offer",
  "plans.migrate_subscribers": () => "announced to subscribers that they will move to other versions of their plans",
  "quota.raise": describeRaise,
  "quota.credit": describeCredit,
  "member.invite": ({ role }) => `invited someone as ${withRole(role)}`,
  "member.withdraw_invitation": ({ role }) => `withdrew an invitation to join as ${withRole(role)}`,
  "member.join": ({ role }) => `joined as ${withRole(role)}`,
  "member.change_role": ({ role }) => `changed a member's role to ${role}`,
  "member.leave": () => "left the account",
  "member.remove": () => "removed a member",
  "webhook.create": ({ url }) => `created webhook ${url}`,
  "webhook.update": ({ url, disabled }) => `edited webhook ${url}${disabled === "true" ? ", now disabled" : ""}`,
  "webhook.rotate_secret": ({ url }) => `rotated the secret of webhook ${url}`,
  "webhook.delete": ({ url }) => `deleted webhook ${url}`,
  "incident.create": ({ title, impact }) =>
    `${impact === "maintenance" ? "scheduled maintenance" : "reported an incident"}: “${title}”`,
  "incident.add_update": ({ title, state = "" }) => `added an update to “${title}”, now ${state.replaceAll("_", " ")}`,
  "incident.edit_update": ({ title }) => `corrected the text of an update to “${title}”`,
  "incident.update": ({ title }) => `corrected the incident “${title}”`,
  "incident.delete": ({ title }) => `deleted the incident “${title}”`,
  "database.backup": ({ path }) => `backed up the database to ${path}`,
  "database.restore": () => "restored the database from a backup",
};

/** The words that follow the actor. An action that this version does not know is shown as it is recorded. */
export function describeAction({ action, details }: RecordedAction): string {
  const facts = Object.fromEntries(details.map(({ name, value }) => [name, value]));
  return (
    DESCRIPTIONS[action]?.(facts) ??
    [action, details.map(({ name, value }) => `${name} ${value}`).join(", ")].filter(Boolean).join(": ")
  );
}
