// Changes something on the server. The request and the response may be secret, so neither is kept: query-core's own mutations would keep
// both in their cache.
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query-core";
import { useRef, useState } from "preact/hooks";
import { useApi } from "./api.ts";
import { type ApiProblem, problemOf } from "./problem.ts";

/** A change that a component can make. */
export interface Mutation<Input, Output> {
  /** Makes the change. Resolves to the response, or to undefined if it failed (see `problem`). Does nothing while a change is running. */
  readonly mutate: (input: Input) => Promise<Output | undefined>;
  readonly isPending: boolean;
  /** Why the last change failed; undefined if it succeeded. */
  readonly problem: ApiProblem | undefined;
  /** Forgets the problem. */
  readonly reset: () => void;
}

/**
 * Calls `method`. Afterwards, everything that was read by the methods in `changes` is read again, also if the response was lost: the change
 * may have been made.
 */
export function useMutation<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  changes: readonly DescMethodUnary[] = [],
): Mutation<MessageInitShape<I>, MessageShape<O>> {
  const { queries, transport, onProblem } = useApi();
  const [state, setState] = useState<{ readonly isPending: boolean; readonly problem: ApiProblem | undefined }>({
    isPending: false,
    problem: undefined,
  });
  const isOngoing = useRef(false);
  const readAgain = (): void => {
    for (const changed of changes) {
      void queries.invalidateQueries({ queryKey: createConnectQueryKey({ schema: changed, cardinality: undefined }) });
    }
  };
  const mutate = async (input: MessageInitShape<I>): Promise<MessageShape<O> | undefined> => {
    if (isOngoing.current) {
      return undefined;
    }
    isOngoing.current = true;
    setState({ isPending: true, problem: undefined });
    try {
      const output = await callUnaryMethod(transport, method, input);
      setState({ isPending: false, problem: undefined });
      readAgain();
      return output;
    } catch (error) {
      const problem = problemOf(error);
      setState({ isPending: false, problem });
      onProblem(problem);
      if (problem.reason === undefined) {
        readAgain();
      }
      return undefined;
    } finally {
      isOngoing.current = false;
    }
  };
  return { mutate, ...state, reset: () => setState({ isPending: false, problem: undefined }) };
}
