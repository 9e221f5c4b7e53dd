// Shows the result of a query: a skeleton while it loads, or what went wrong and what to do about it.
import type { ComponentChildren } from "preact";
import type { Query } from "../../api/use-query.ts";
import { Problem } from "./Problem.tsx";
import { Skeleton } from "./Skeleton.tsx";

/** `rem`: the height to reserve while it loads. */
export function Loaded<Message>({
  query: { data, problem, refetch, isFetching },
  rem,
  children,
}: {
  readonly query: Query<Message>;
  readonly rem: number;
  readonly children: (data: Message) => ComponentChildren;
}) {
  const isFailed = problem !== undefined && !problem.isSessionLost;
  return (
    <>
      <Problem problem={problem} isBusy={isFetching} onRetry={refetch} />
      {data !== undefined ? children(data) : !isFailed && <Skeleton rem={rem} />}
    </>
  );
}
