// Converts what only operators see into response messages.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AuditActorKind,
  type AuditEntrySchema,
  DatabaseKind,
  type GetServerStateResponseSchema,
  type UpstreamStateSchema,
} from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { Actor, AuditEntry } from "../../store/audit-records.ts";
import type { NodeRegistry } from "../../store/repositories/node-registry.ts";
import type { ServerState, UpstreamState } from "../server-state.ts";
import { detailMessages } from "./messages.ts";

const DATABASE_KINDS: Readonly<Record<ServerState["database"]["kind"], DatabaseKind>> = {
  embedded: DatabaseKind.EMBEDDED,
  postgresql: DatabaseKind.POSTGRESQL,
};

const ACTOR_KINDS: Readonly<Record<Actor["kind"], AuditActorKind>> = {
  operator: AuditActorKind.COMMAND_LINE,
  signed_in_operator: AuditActorKind.OPERATOR,
  owner: AuditActorKind.OWNER,
  member: AuditActorKind.MEMBER,
  visitor: AuditActorKind.VISITOR,
  server: AuditActorKind.SERVER,
};

/** The state of a server, with what the database says about all servers. */
export function serverStateMessage(
  { startedAtMs, database, redis, upstreams, version, cpuSeconds, threads, ...counts }: ServerState,
  { self, changeNumber, nodes }: NodeRegistry,
): MessageInitShape<typeof GetServerStateResponseSchema> {
  const { kind, isUp, queries, slow, failed } = database;
  return {
    ...{ version, cpuSeconds, threads },
    memoryBytes: BigInt(counts.memoryBytes),
    calls: BigInt(counts.calls),
    leasedCalls: BigInt(counts.leasedCalls),
    callsMissingFromLog: BigInt(counts.callsMissingFromLog),
    callsMissingFromUsage: BigInt(counts.callsMissingFromUsage),
    refusalsMissing: BigInt(counts.refusalsMissing),
    startedAt: timestampFromMs(startedAtMs),
    database: { kind: DATABASE_KINDS[kind], up: isUp, asked: BigInt(queries), slow: BigInt(slow), failed: BigInt(failed) },
    ...(redis !== undefined && { redis }),
    nodes: nodes.map((node) => ({
      id: node.id,
      self: node.id === self,
      alive: node.isAlive,
      changesBehind: Math.max(0, changeNumber - node.changeNumber),
    })),
    upstreams: upstreams.map(upstreamMessage),
  };
}

function upstreamMessage(upstream: UpstreamState): MessageInitShape<typeof UpstreamStateSchema> {
  const { service, succeeded, failed, heldBack, lastSucceededAtMs, lastFailedAtMs, cacheHits, cacheMisses, mirrors } = upstream;
  return {
    service,
    answered: BigInt(succeeded),
    failed: BigInt(failed),
    heldBack: BigInt(heldBack),
    cacheHits: BigInt(cacheHits),
    cacheMisses: BigInt(cacheMisses),
    ...(lastSucceededAtMs !== undefined && { lastAnsweredAt: timestampFromMs(lastSucceededAtMs) }),
    ...(lastFailedAtMs !== undefined && { lastFailedAt: timestampFromMs(lastFailedAtMs) }),
    ...(mirrors !== undefined && { mirrors }),
  };
}

/** An entry of the audit trail. Empty details are left out. */
export function auditEntryMessage(entry: AuditEntry): MessageInitShape<typeof AuditEntrySchema> {
  const { number, atMs, actor, actorAccountName, actorAccountEmail, action, accountId, accountName, accountEmail } = entry;
  const { subject, details } = entry;
  return {
    number: BigInt(number),
    at: timestampFromMs(atMs),
    actor: {
      kind: ACTOR_KINDS[actor.kind] ?? AuditActorKind.OTHER,
      name: actor.name,
      origin: actor.origin,
      ...(actorAccountName !== null && { accountName: actorAccountName }),
      ...(actorAccountEmail !== null && { accountEmail: actorAccountEmail }),
    },
    action,
    ...(accountId !== null && { accountId }),
    ...(accountName !== null && { accountName }),
    ...(accountEmail !== null && { accountEmail }),
    ...(subject !== null && { subjectId: subject }),
    details: detailMessages(details),
  };
}
