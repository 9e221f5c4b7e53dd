// Reads something from the server and keeps a component up to date with it.
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { callUnaryMethod, createConnectQueryKey, createQueryOptions } from "@connectrpc/connect-query-core";
import { notifyManager, QueryObserver, type QueryObserverOptions } from "@tanstack/query-core";
import { useEffect, useMemo, useReducer, useState } from "preact/hooks";
import { useApi } from "./api.ts";
import { type ApiProblem, problemOf } from "./problem.ts";

/** When to read, and what is known meanwhile. */
export interface QueryTiming extends Pick<QueryObserverOptions, "enabled" | "refetchInterval" | "staleTime"> {
  /** With other input, `data` stays what the former input gave until the new is there. Only for who heeds `isFormer`. */
  readonly keepsFormer?: true;
}

/** What is known. */
export interface Query<Message> {
  /** What was read last with this input; undefined until something has been. */
  readonly data: Message | undefined;
  /** Whether `data` belongs to former input; only with `keepsFormer`. */
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
  const { transport } = useApi();
  return useObserved(createQueryOptions(method, input, { transport }), timing);
}

/**
 * Calls `method` with each of `inputs`, one after another, as one query: there are all answers or none, and what only grows is at least as large
 * in a later answer.
 */
export function useQueryInTurn<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  inputs: readonly MessageInitShape<I>[],
  timing: QueryTiming = {},
): Query<readonly MessageShape<O>[]> {
  const { transport } = useApi();
  const keyOf = (input?: MessageInitShape<I>): unknown =>
    createConnectQueryKey({ schema: method, input, transport, cardinality: "finite" })[1];
  const queryFn = async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly MessageShape<O>[]> => {
    const answers: MessageShape<O>[] = [];
    for (const input of inputs) {
      answers.push(await callUnaryMethod(transport, method, input, { signal }));
    }
    return answers;
  };
  // Begins as the keys of the method's other queries do, so that a change which concerns them has these read anew too.
  return useObserved({ queryKey: ["connect-query", keyOf(), ...inputs.map(keyOf)], queryFn, structuralSharing: false }, timing);
}

function useObserved<Data>(query: object, { keepsFormer, ...timing }: QueryTiming): Query<Data> {
  const { queries } = useApi();
  const options = queries.defaultQueryOptions({
    ...query,
    ...(keepsFormer && { placeholderData: (former: unknown) => former }),
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
    data: data as Data | undefined,
    isFormer: isPlaceholderData,
    problem,
    isFetching,
    refetch: () => void refetch(),
  };
}
