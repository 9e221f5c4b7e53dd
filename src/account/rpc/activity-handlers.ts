// The method that lists what was done to the account: its entries in the audit trail, without what concerns only
// operators.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ActivityActorSchema,
  type ActivitySchema,
  ActivityActorKind as Kind,
} from "../../../gen/quintet/account/v1/activity_pb.js";
import type { Actor, AuditEntry } from "../../store/audit-records.ts";
import type { AdminStore } from "../../store/store.ts";
import { activityQueryOf } from "./audit-query.ts";
import type { AccountHandlers } from "./handlers.ts";
import { detailMessages } from "./messages.ts";

const ACTOR_KINDS: Readonly<Record<Actor["kind"], Kind>> = {
  operator: Kind.OPERATOR,
  signed_in_operator: Kind.OPERATOR,
  owner: Kind.OWNER,
  member: Kind.MEMBER,
  visitor: Kind.VISITOR,
  server: Kind.SERVER,
};

export const createActivityHandlers = ({ store }: { readonly store: AdminStore }): Pick<AccountHandlers, "listActivity"> => ({
  async listActivity(request, { accountId }) {
    const { entries, hasMore, keptDays } = await store.auditPage(activityQueryOf(accountId, request));
    const last = entries.at(-1);
    return {
      results: entries.map(activityMessage),
      ...(hasMore && last !== undefined && { nextPageToken: String(last.number) }),
      keptDays,
    };
  },
});

function activityMessage(entry: AuditEntry): MessageInitShape<typeof ActivitySchema> {
  const { number, atMs, action, subject, details } = entry;
  // The reason is for operators only.
  const { reason: _, ...shown } = details;
  return {
    id: String(number),
    at: timestampFromMs(atMs),
    action,
    actor: actorMessage(entry),
    ...(subject !== null && { subjectId: subject }),
    details: detailMessages(shown),
  };
}

// Customers see neither an operator's name nor an operator's address.
function actorMessage({ actor, actorAccountEmail }: AuditEntry): MessageInitShape<typeof ActivityActorSchema> {
  const kind = ACTOR_KINDS[actor.kind];
  if (kind !== Kind.OWNER && kind !== Kind.MEMBER && kind !== Kind.VISITOR) {
    return { kind: kind ?? Kind.UNSPECIFIED };
  }
  return {
    kind,
    ...(actor.origin !== "" && { address: actor.origin }),
    ...(actorAccountEmail !== null && { email: actorAccountEmail }),
  };
}
