// An entry of the account's activity as a sentence: `You created key website (…wxyz).`
import { type Activity, type ActivityActor, ActivityActorKind } from "../../../gen/quintet/account/v1/activity_pb.js";
import { describeAction } from "../action-description.ts";

interface ActivityEntry extends Pick<Activity, "action" | "actor"> {
  readonly details: readonly { readonly name: string; readonly value: string }[];
}

/** The sentence. `email`: the address of the user's own account. */
export function activitySentence(entry: ActivityEntry, email: string | undefined): string {
  const did = describeAction(entry);
  // It is the account that gets the subscription, whoever makes it.
  const done = isMember(entry.actor) ? did : did.replace(/^subscribed to /, "subscribed you to ");
  return `${subjectOf(entry.actor, email)} ${done}.`;
}

const isMember = (actor: ActivityActor | undefined): boolean =>
  actor?.kind === ActivityActorKind.OWNER || actor?.kind === ActivityActorKind.MEMBER;

function subjectOf(actor: ActivityActor | undefined, email: string | undefined): string {
  switch (actor?.kind) {
    case ActivityActorKind.OWNER:
      return actor.email === undefined || actor.email === email ? "You" : actor.email;
    case ActivityActorKind.MEMBER:
      return actor.email === email ? "You" : (actor.email ?? "A former member");
    case ActivityActorKind.OPERATOR:
      return "An operator";
    case ActivityActorKind.SERVER:
      return "The server";
    default:
      return "Someone";
  }
}
