// The quota of each subscription as a bar, and when it is used up at this pace.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { AccountService, type MonthStanding, type Plan, type UsageRow } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { Problem } from "../../components/ui/Problem.tsx";
import { formatNumber, serviceTitle } from "../formats.ts";
import { adviceOf } from "../pages/subscriptions/advice.ts";
import { dialogPath } from "../use-dialog-in-url.ts";
import styles from "./QuotaBars.module.css";
import { runOutText, usedText } from "./quota-text.ts";
import { runOut } from "./run-out.ts";

const DAY_MS = 86_400_000;
/** How many full days the pace is computed from. */
export const PACE_DAYS = 28;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** `standings` are the months to show; `rows` have the last `PACE_DAYS` days of each service, and today. */
export function QuotaBars({
  standings,
  rows,
  nowMs,
}: {
  readonly standings: readonly MonthStanding[];
  readonly rows: readonly UsageRow[];
  readonly nowMs: number;
}) {
  const plans = useQuery(AccountService.method.listPlans, {}, { staleTime: Number.POSITIVE_INFINITY });
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
  const { words, plan } = advice;
  return (
    <div class={styles.advice}>
      <p>{words}</p>
      {plan !== undefined && (
        <ButtonLink href={dialogPath("/app/subscriptions", "plan", { service: plan.service, plan: plan.name })}>
          {plan.priceMinor > 0 ? "Request" : "Switch to"} {plan.name}
        </ButtonLink>
      )}
    </div>
  );
}

function Quota({
  standing: { service, plan, callsPerMonth, counted, remaining, resetsAt },
  rows,
  nowMs,
}: {
  readonly standing: MonthStanding;
  readonly rows: readonly UsageRow[];
  readonly nowMs: number;
}) {
  const title = `${serviceTitle(service)}, ${plan}`;
  if (callsPerMonth === undefined || remaining === undefined || resetsAt === undefined) {
    return (
      <>
        <h3>{title}</h3>
        <p>{formatNumber(counted)} calls counted this month. This plan is no longer offered, so its quota is unknown.</p>
      </>
    );
  }
  const resetsAtMs = timestampMs(resetsAt);
  const used = Math.max(0, callsPerMonth - remaining);
  const found = runOut({ ...paceOf(rows, nowMs), remaining, nowMs, resetsAtMs });
  return (
    <>
      <h3>
        {title} <span class={styles.share}>{formatShare(used / callsPerMonth)}</span>
      </h3>
      <progress
        class={remaining > 0 ? styles.bar : `${styles.bar} ${styles.full}`}
        max={callsPerMonth}
        value={used}
        aria-label={`Calls of ${service} used this month`}
      />
      <p>
        {usedText(counted, callsPerMonth, remaining, resetsAtMs)} {runOutText(found)}
      </p>
    </>
  );
}

const SHARE = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const formatShare = (share: number): string => SHARE.format(Math.min(1, share));

// The full days since the first one with a call, and today.
function paceOf(rows: readonly UsageRow[], nowMs: number): { readonly fullDays: readonly number[]; readonly today: number } {
  const counted = new Map(rows.map((row) => [row.day, row.counted]));
  const days = Array.from({ length: PACE_DAYS }, (_, index) => counted.get(dayOf(nowMs - (PACE_DAYS - index) * DAY_MS)) ?? 0);
  const first = days.findIndex((calls) => calls > 0);
  return { fullDays: first < 0 ? [] : days.slice(first), today: counted.get(dayOf(nowMs)) ?? 0 };
}
