// Reads something from the server and keeps a component up to date with it.
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { callUnaryMethod, createConnectQueryKey, createQueryOptions } from "@connectrpc/connect-query-core";
import { notifyManager, QueryObserver, type QueryObserverOptions } from "@tanstack/query-core";
import { useEffect, useMemo, useReducer, useState } from "preact/hooks";
import { useApi } from "./api.ts";
import { type ApiProblem, problemOf } from "./problem.ts";

/** When to read, and what to show in the meantime. */
export interface QueryTiming extends Pick<QueryObserverOptions, "enabled" | "refetchInterval" | "staleTime"> {
  /** When the input changes, keep the old `data` until the new one has arrived. Only for callers that look at `isPrevious`. */
  readonly keepsPrevious?: true;
}

/** The state of a query. */
export interface Query<Message> {
  /** What was read last with this input; undefined until then. */
  readonly data: Message | undefined;
  /** Whether `data` still belongs to the previous input; only with `keepsPrevious`. */
  readonly isPrevious: boolean;
  /** Why the last attempt failed; undefined if it succeeded. */
  readonly problem: ApiProblem | undefined;
  /** Whether a call is in progress. */
  readonly isFetching: boolean;
  readonly refetch: () => void;
}

/** Calls `method` with `input`, and again when the input changes or the data has become stale. */
export function useQuery<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  timing: QueryTiming = {},
): Query<MessageShape<O>> {
  const { transport } = useApi();
  return useObserved(createQueryOptions(method, input, { transport }), timing);
}

/**
 * Calls `method` with each of `inputs`, one after another, as one query: it returns all responses or none. They are called in turn, so that
 * a count that only grows is never smaller in a later response.
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
    const outputs: MessageShape<O>[] = [];
    for (const input of inputs) {
      outputs.push(await callUnaryMethod(transport, method, input, { signal }));
    }
    return outputs;
  };
  // The key starts like those of the method's other queries, so that whatever invalidates them also invalidates this one.
  return useObserved({ queryKey: ["connect-query", keyOf(), ...inputs.map(keyOf)], queryFn, structuralSharing: false }, timing);
}

function useObserved<Data>(query: object, { keepsPrevious, ...timing }: QueryTiming): Query<Data> {
  const { queries } = useApi();
  const options = queries.defaultQueryOptions({
    ...query,
    ...(keepsPrevious && { placeholderData: (former: unknown) => former }),
    ...timing,
  } as unknown as QueryObserverOptions);
  const [observer] = useState(() => new QueryObserver(queries, options));
  const [, update] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const unsubscribe = observer.subscribe(notifyManager.batchCalls(() => update(undefined)));
    // The result may have changed between rendering and this effect.
    observer.updateResult();
    return unsubscribe;
  }, [observer]);
  useEffect(() => observer.setOptions(options));
  const { data, error, isFetching, isPlaceholderData, refetch } = observer.getOptimisticResult(options);
  const problem = useMemo(() => (error === null ? undefined : problemOf(error)), [error]);
  return {
    data: data as Data | undefined,
    isPrevious: isPlaceholderData,
    problem,
    isFetching,
    refetch: () => void refetch(),
  };
}
