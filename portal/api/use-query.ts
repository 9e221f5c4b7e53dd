// Reads something from the server and keeps a component up to date with it.
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { createQueryOptions } from "@connectrpc/connect-query-core";
import { notifyManager, QueryObserver, type QueryObserverOptions } from "@tanstack/query-core";
import { useEffect, useMemo, useReducer, useState } from "preact/hooks";
import { useApi } from "./api.ts";
import { type ApiProblem, problemOf } from "./problem.ts";

/** When to read. */
export type QueryTiming = Pick<QueryObserverOptions, "enabled" | "refetchInterval" | "staleTime">;

/** What is known. */
export interface Query<Message> {
  /** What was read last; undefined until something has been. With other input, what the former input gave, until the new is there. */
  readonly data: Message | undefined;
  /** Whether `data` belongs to former input. */
  readonly isFormer: boolean;
  /** Why the last try failed; undefined when it did not. */
  readonly problem: ApiProblem | undefined;
  /** Whether it is being read at the moment. */
  readonly isFetching: boolean;
  readonly refetch: () => void;
}

/** Calls `method` with `input`, and again when that changes or what was read is no longer fresh. */
export function useQuery<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  timing: QueryTiming = {},
): Query<MessageShape<O>> {
  const { queries, transport } = useApi();
  const options = queries.defaultQueryOptions({
    ...createQueryOptions(method, input, { transport }),
    placeholderData: (former: unknown) => former,
    ...timing,
  } as unknown as QueryObserverOptions);
  const [observer] = useState(() => new QueryObserver(queries, options));
  const [, update] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const unsubscribe = observer.subscribe(notifyManager.batchCalls(() => update(undefined)));
    // It may have changed between rendering and here.
    observer.updateResult();
    return unsubscribe;
  }, [observer]);
  useEffect(() => observer.setOptions(options));
  const { data, error, isFetching, isPlaceholderData, refetch } = observer.getOptimisticResult(options);
  const problem = useMemo(() => (error === null ? undefined : problemOf(error)), [error]);
  return {
    data: data as MessageShape<O> | undefined,
    isFormer: isPlaceholderData,
    problem,
    isFetching,
    refetch: () => void refetch(),
  };
}
