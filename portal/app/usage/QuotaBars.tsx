// The quota of each subscription as a bar, and when it will be used up at this pace.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Plan, StatusService } from "../../../gen/quintet/account/v1/status_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { Problem } from "../../components/ui/Problem.tsx";
import { formatCount, formatShareUsed, planTitle, serviceTitle } from "../formats.ts";
import { adviceOf } from "../pages/subscriptions/advice.ts";
import { takesCards } from "../server-facts.ts";
import { dialogPath } from "../use-dialog-in-url.ts";
import styles from "./QuotaBars.module.css";
import { quotaOf } from "./quota.ts";
import { runOutText, usedText } from "./quota-text.ts";
import { paceOf, runOut } from "./run-out.ts";
import type { MonthStanding, UsageRow } from "./usage-report.ts";

/** `standings`: the months to show. `rows` cover the last `PACE_DAYS` days of each service, the day before them, and today. */
export function QuotaBars({
  standings,
  rows,
  nowMs,
}: {
  readonly standings: readonly MonthStanding[];
  readonly rows: readonly UsageRow[];
  readonly nowMs: number;
}) {
  const plans = useQuery(StatusService.method.listPlans, {}, { staleTime: Number.POSITIVE_INFINITY });
  return (
    <>
      <Problem problem={plans.problem} isBusy={plans.isFetching} onRetry={plans.refetch} />
      <ul class={styles.bars}>
        {standings.map((standing) => (
          <li key={standing.subscriptionId}>
            <Quota standing={standing} rows={rows.filter(({ service }) => service === standing.service)} nowMs={nowMs} />
            {plans.data !== undefined && (
              <Advice standing={standing} plans={plans.data.results.filter(({ service }) => service === standing.service)} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Advice({ standing, plans }: { readonly standing: MonthStanding; readonly plans: readonly Plan[] }) {
  const advice = adviceOf({ standing, plans, refusals: [] });
  if (advice === undefined) {
    return null;
  }
  const { message, plan } = advice;
  return (
    <div class={styles.advice}>
      <p>{message}</p>
      {plan !== undefined && (
        <ButtonLink href={dialogPath("/app/subscriptions", "plan", { service: plan.service, plan: plan.name })}>
          {plan.priceMinor > 0 ? (takesCards() ? "Buy" : "Request") : "Switch to"} {planTitle(plan.name)}
        </ButtonLink>
      )}
    </div>
  );
}

function Quota({
  standing: { service, plan, callsPerMonth, counted, credited, remaining, resetsAt },
  rows,
  nowMs,
}: {
  readonly standing: MonthStanding;
  readonly rows: readonly UsageRow[];
  readonly nowMs: number;
}) {
  const title = `${serviceTitle(service)}, ${planTitle(plan)}`;
  const quota = quotaOf({ callsPerMonth, counted, remaining });
  if (quota === undefined || callsPerMonth === undefined || remaining === undefined || resetsAt === undefined) {
    return (
      <>
        <h2>{title}</h2>
        <p>{formatCount(counted, "call")} counted this month. This plan is no longer offered, so its quota is unknown.</p>
      </>
    );
  }
  const resetsAtMs = timestampMs(resetsAt);
  const included = callsPerMonth + credited;
  const { share, state } = quota;
  const found = runOut({ ...paceOf(rows, nowMs), remaining, nowMs, resetsAtMs });
  return (
    <>
      <h2>
        {title} <span class={styles.share}>{formatShareUsed(share)}</span>
      </h2>
      <progress
        class={state === "open" ? styles.bar : `${styles.bar} ${styles.full}`}
        max={included}
        value={Math.max(0, included - remaining)}
        aria-label={`${serviceTitle(service)}: calls used this month`}
      />
      <p>
        {usedText(counted, included, remaining, resetsAtMs)} {runOutText(found)}
      </p>
    </>
  );
}
