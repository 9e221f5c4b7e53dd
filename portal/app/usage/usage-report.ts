// UsageService.GetUsage as pages read it: with counts as numbers, which charts, sums and formats take, instead of as bigints.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { useMemo } from "preact/hooks";
import {
  type GetUsageRequestSchema,
  type GetUsageResponse,
  type UsageRow as RowMessage,
  type MonthStanding as StandingMessage,
  UsageService,
} from "../../../gen/quintet/account/v1/usage_pb.js";
import { type Query, type QueryTiming, useQuery, useQueryInTurn } from "../../api/use-query.ts";

type Counts<Message, Name extends keyof Message> = Omit<Message, Name | "$typeName" | "$unknown"> & Record<Name, number>;

/** A row of the report. Counts that the measure does not have are 0. */
export type UsageRow = Counts<RowMessage, "calls" | "counted" | "failed">;

/** A subscription's month. */
export type MonthStanding = Omit<Counts<StandingMessage, "counted" | "refusedForRate" | "refusedForQuota">, "remaining"> & {
  readonly remaining: number | undefined;
};

/** A page of a report. */
export interface UsageReport {
  readonly standings: readonly MonthStanding[];
  readonly results: readonly UsageRow[];
  readonly total: number;
  /** Whether there are rows after this page. */
  readonly hasMore: boolean;
}

type Input = MessageInitShape<typeof GetUsageRequestSchema>;

const METHOD = UsageService.method.getUsage;

/** Reads a report, and again as `timing` says. */
export function useUsage(input: Input, timing?: QueryTiming): Query<UsageReport> {
  const query = useQuery(METHOD, input, timing);
  const data = useMemo(() => query.data && reportOf(query.data), [query.data]);
  return { ...query, data };
}

/** Reads several reports, one after another, as `useQueryInTurn` does. */
export function useUsageInTurn(inputs: readonly Input[], timing?: QueryTiming): Query<readonly UsageReport[]> {
  const query = useQueryInTurn(METHOD, inputs, timing);
  const data = useMemo(() => query.data?.map(reportOf), [query.data]);
  return { ...query, data };
}

const reportOf = ({ standings, results, total, nextOffset }: GetUsageResponse): UsageReport => ({
  standings: standings.map(standingOf),
  results: results.map(rowOf),
  total,
  hasMore: nextOffset !== undefined,
});

/** The standing with numbers. */
export const standingOf = (standing: StandingMessage): MonthStanding => ({
  ...standing,
  counted: Number(standing.counted),
  remaining: standing.remaining === undefined ? undefined : Number(standing.remaining),
  refusedForRate: Number(standing.refusedForRate),
  refusedForQuota: Number(standing.refusedForQuota),
});

/** The row with numbers. */
export const rowOf = (row: RowMessage): UsageRow => ({
  ...row,
  calls: Number(row.calls),
  counted: Number(row.counted ?? 0n),
  failed: Number(row.failed ?? 0n),
});
