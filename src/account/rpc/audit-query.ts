// Converts the audit trail's filters from the request message into the store's query, and names each filter that is wrong.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { AuditActorKind, type ListAuditEntriesRequest } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../problem/problem.ts";
import type { Actor, AuditQuery } from "../../store/audit-records.ts";
import { actionsNamed, nearestAction } from "../audit-actions.ts";

const PAGE_LIMIT = 50;

// The proto's rules allow neither UNSPECIFIED nor OTHER.
const KINDS: ReadonlyMap<AuditActorKind, Actor["kind"]> = new Map([
  [AuditActorKind.COMMAND_LINE, "operator"],
  [AuditActorKind.OPERATOR, "signed_in_operator"],
  [AuditActorKind.OWNER, "owner"],
  [AuditActorKind.VISITOR, "visitor"],
  [AuditActorKind.SERVER, "server"],
]);

/** The query. Throws a Failure that names each filter that is wrong. */
export function auditQueryOf(request: ListAuditEntriesRequest): AuditQuery {
  const { accountId, actorAccountId, actorKinds, commandLineUser, actions, withoutShortLivedKeys } = request;
  const { since, until, before, limit = PAGE_LIMIT } = request;
  const violations = [...faultsOfActions(actions), ...faultsOfActor(request), ...faultsOfTime(request)];
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return {
    accountId: accountId === "" ? undefined : accountId,
    actorAccountId: actorAccountId === "" ? undefined : actorAccountId,
    actorKinds: actorKinds.length === 0 ? undefined : actorKinds.flatMap((kind) => KINDS.get(kind) ?? []),
    commandLineUser: commandLineUser === "" ? undefined : commandLineUser,
    actions: actions.length === 0 ? undefined : [...new Set(actions.flatMap(actionsNamed))],
    withoutShortLivedKeys,
    sinceMs: since && timestampMs(since),
    untilMs: until && timestampMs(until),
    before,
    limit,
  };
}

function faultsOfActions(names: readonly string[]): readonly Violation[] {
  return names.flatMap((name, index) => {
    if (actionsNamed(name).length > 0) {
      return [];
    }
    const nearest = nearestAction(name);
    const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    return [{ field: `actions[${index}]`, description: `is not an action of the audit trail: "${name}"${hint}` }];
  });
}

function faultsOfActor({ actorAccountId, commandLineUser }: ListAuditEntriesRequest): readonly Violation[] {
  const description =
    "cannot be given together with actor_account_id: an entry is made either by an account or on the command line";
  return actorAccountId === "" || commandLineUser === "" ? [] : [{ field: "command_line_user", description }];
}

function faultsOfTime({ since, until }: ListAuditEntriesRequest): readonly Violation[] {
  return since !== undefined && until !== undefined && timestampMs(until) <= timestampMs(since)
    ? [{ field: "until", description: "must be after since" }]
    : [];
}
