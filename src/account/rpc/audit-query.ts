// Converts an operator's or a customer's filters for the audit trail from the request message into the store's query, and names each filter
// that is wrong.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { withoutSecrets } from "@quintet/transcoding";
import type { ListActivityRequest } from "../../../gen/quintet/account/v1/activity_pb.js";
import { AuditActorKind, type ListAuditEntriesRequest } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../problem/problem.ts";
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from "../../runtime/control-characters.ts";
import type { Actor, AuditQuery } from "../../store/audit-records.ts";
import { actionsNamed, nearestAction } from "../audit-actions.ts";

const PAGE_LIMIT = 50;

// The proto's rules allow neither UNSPECIFIED nor OTHER.
const KINDS: ReadonlyMap<AuditActorKind, Actor["kind"]> = new Map([
  [AuditActorKind.COMMAND_LINE, "operator"],
  [AuditActorKind.OPERATOR, "signed_in_operator"],
  [AuditActorKind.OWNER, "owner"],
  [AuditActorKind.MEMBER, "member"],
  [AuditActorKind.VISITOR, "visitor"],
  [AuditActorKind.SERVER, "server"],
]);

/** An operator's query. Throws a Failure that names each filter that is wrong. */
export function auditQueryOf(request: ListAuditEntriesRequest): AuditQuery {
  const { accountId, actorAccountId, actorKinds, commandLineUser, actions, withoutShortLivedKeys } = request;
  const { since, until } = request;
  const violations = [...faultsOfPage(request), ...faultsOfActions(actions), ...faultsOfActor(request), ...faultsOfTime(request)];
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return {
    accountId: accountId === "" ? undefined : accountId,
    actorAccountId: actorAccountId === "" ? undefined : actorAccountId,
    actorKinds: actorKinds.length === 0 ? undefined : actorKinds.flatMap((kind) => KINDS.get(kind) ?? []),
    commandLineUser: commandLineUser === "" ? undefined : commandLineUser,
    ...actionsAndTime({ actions, since, until }),
    withoutShortLivedKeys,
    ...pageOf(request),
  };
}

/** A customer's query, for what was done to their account. Throws a Failure that names each filter that is wrong. */
export function activityQueryOf(accountId: string, request: ListActivityRequest): AuditQuery {
  const { actions, includeShortLivedKeys } = request;
  const violations = [...faultsOfPage(request), ...faultsOfActions(actions), ...faultsOfTime(request)];
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return {
    accountId,
    ...actionsAndTime(request),
    withoutShortLivedKeys: !includeShortLivedKeys,
    ...pageOf(request),
  };
}

const ENTRY_NUMBER = /^[1-9]\d{0,14}$/;

type PageRequest = Pick<ListActivityRequest, "pageSize" | "pageToken">;

const pageOf = ({ pageSize, pageToken }: PageRequest): Pick<AuditQuery, "before" | "limit"> => ({
  before: pageToken === "" ? undefined : Number(pageToken),
  limit: pageSize === 0 ? PAGE_LIMIT : pageSize,
});

const faultsOfPage = ({ pageToken }: PageRequest): readonly Violation[] =>
  pageToken === "" || ENTRY_NUMBER.test(pageToken)
    ? []
    : [{ field: "page_token", description: "must be the next_page_token of an earlier page" }];

function actionsAndTime({
  actions,
  since,
  until,
}: Pick<ListActivityRequest, "actions" | "since" | "until">): Pick<AuditQuery, "actions" | "sinceMs" | "untilMs"> {
  return {
    actions: actions.length === 0 ? undefined : [...new Set(actions.flatMap(actionsNamed))],
    sinceMs: since && timestampMs(since),
    untilMs: until && timestampMs(until),
  };
}

function faultsOfActions(names: readonly string[]): readonly Violation[] {
  return names.flatMap((name, index) => {
    if (actionsNamed(name).length > 0) {
      return [];
    }
    const nearest = nearestAction(name);
    const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    return [{ field: `actions[${index}]`, description: `is not an action of the audit trail: "${withoutSecrets(name)}"${hint}` }];
  });
}

function faultsOfActor({ actorAccountId, commandLineUser }: ListAuditEntriesRequest): readonly Violation[] {
  const description =
    "cannot be given together with actor_account_id: an entry is made either by an account or on the command line";
  if (hasControlCharacter(commandLineUser)) {
    return [{ field: "command_line_user", description: NO_CONTROL_CHARACTERS }];
  }
  return actorAccountId === "" || commandLineUser === "" ? [] : [{ field: "command_line_user", description }];
}

function faultsOfTime({ since, until }: Pick<ListActivityRequest, "since" | "until">): readonly Violation[] {
  return since !== undefined && until !== undefined && timestampMs(until) <= timestampMs(since)
    ? [{ field: "until", description: "must be after since" }]
    : [];
}
