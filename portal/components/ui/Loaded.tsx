// Shows what a query has read: a skeleton until then, and what went wrong with a button to try again.
import type { ComponentChildren } from "preact";
import type { Query } from "../../api/use-query.ts";
import { Button } from "./Button.tsx";
import { Notice } from "./Notice.tsx";
import { Skeleton } from "./Skeleton.tsx";

/** `rem` is the height to keep free until then. */
export function Loaded<Message>({
  query,
  rem,
  children,
}: {
  readonly query: Query<Message>;
  readonly rem: number;
  readonly children: (data: Message) => ComponentChildren;
}) {
  const { data, problem, refetch, isFetching } = query;
  if (problem !== undefined && !problem.isSessionLost) {
    return (
      <>
        <Notice tone="bad">
          <p>{problem.message}</p>
          <Button isBusy={isFetching} onClick={refetch}>
            Try again
          </Button>
        </Notice>
        {data !== undefined && children(data)}
      </>
    );
  }
  return <>{data === undefined ? <Skeleton rem={rem} /> : children(data)}</>;
}
