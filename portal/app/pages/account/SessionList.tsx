// The user's sessions, each with a button that ends it, and a button that ends all sessions except the current one.
import { useState } from "preact/hooks";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import type { OpenSession } from "../../../../gen/quintet/account/v1/session_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { DateTime, Distance } from "../../../components/ui/Time.tsx";
import { programOf } from "../../user-agent.ts";
import styles from "./SessionList.module.css";

const { getProfile, endSessions } = ProfileService.method;

export function SessionList({ sessions }: { readonly sessions: readonly OpenSession[] }) {
  const others = useMutation(endSessions, [getProfile]);
  const [ended, setEnded] = useState<number>();
  const endOthers = async (): Promise<void> => {
    const response = await others.mutate({ which: { case: "others", value: true } });
    setEnded(response?.count);
  };
  return (
    <section class={styles.section}>
      <h2>Where you are signed in</h2>
      <p>A session ends 7 days after its last use. If you end it here, its next request is refused.</p>
      {others.problem !== undefined && <Notice tone="bad">{others.problem.message}</Notice>}
      {ended !== undefined && (
        <Notice tone="good">{ended === 1 ? "One other session has ended." : `${ended} other sessions have ended.`}</Notice>
      )}
      <ul class={styles.list}>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <Button isBusy={others.isPending} onClick={() => void endOthers()}>
          Sign out all others
        </Button>
      )}
    </section>
  );
}

function SessionRow({ session }: { readonly session: OpenSession }) {
  const { id, address = "an unknown address", userAgent, current, createdAt, lastUsedAt } = session;
  const { mutate, isPending, problem } = useMutation(endSessions, [getProfile]);
  const program = programOf(userAgent);
  return (
    <li class={styles.row}>
      <div class={styles.head}>
        <h3 title={userAgent}>{program}</h3>
        {current && <Badge tone="good" label="This device" />}
      </div>
      <p class={styles.facts}>
        Signed in from {address} on {createdAt && <DateTime at={createdAt} />}. Last used{" "}
        {lastUsedAt && <Distance at={lastUsedAt} />}.
      </p>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      {!current && (
        <Button
          label={`End session: ${program} from ${address}`}
          isBusy={isPending}
          onClick={() => void mutate({ which: { case: "sessionId", value: id } })}
        >
          {isPending ? "Ending…" : "End session"}
        </Button>
      )}
    </li>
  );
}
