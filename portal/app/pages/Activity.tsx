// What was done to the account: sign-ins, and changes to keys, subscriptions and settings, by its owner and by operators.
import { useLocation } from "preact-iso";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import type { ListActivityResponse } from "../../../gen/quintet/account/v1/activity_pb.js";
import { MemberRole } from "../../../gen/quintet/account/v1/member_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Table } from "../../components/ui/Table.tsx";
import { DateTime } from "../../components/ui/Time.tsx";
import { ActivityFilterBar } from "../activity/ActivityFilterBar.tsx";
import { type ActivityFilters, activityFiltersOf, activityPath, activityRequestOf } from "../activity/activity-filters.ts";
import { activitySentence } from "../activity/activity-sentence.ts";
import { formatNumber } from "../formats.ts";
import { RoleNote } from "../RoleNote.tsx";
import { useHasRole, useOwnAccount } from "../role.ts";
import styles from "./Activity.module.css";

const COLUMNS = [{ heading: "Time" }, { heading: "Event" }, { heading: "IP address" }];

export default function ActivityPage() {
  const filters = activityFiltersOf(useLocation().query);
  const mayRead = useHasRole(MemberRole.OWNER);
  const activity = useQuery(AccountService.method.listActivity, activityRequestOf(filters), { staleTime: 0, enabled: mayRead });
  const own = useOwnAccount();
  const isEndBeforeStart = activity.problem?.fields.until !== undefined;
  return (
    <>
      <Heading title="Activity" lead="Sign-ins, and changes to your keys, subscriptions and settings." />
      <RoleNote needs={MemberRole.OWNER} what="see its activity" />
      {(own === undefined || mayRead) && <ActivityFilterBar filters={filters} isEndBeforeStart={isEndBeforeStart} />}
      {!isEndBeforeStart && (own === undefined || mayRead) && (
        <Loaded query={own === undefined ? { ...activity, data: undefined } : activity} rem={40}>
          {(page) => <Entries page={page} filters={filters} email={own?.email} />}
        </Loaded>
      )}
    </>
  );
}

interface EntriesProps {
  readonly page: ListActivityResponse;
  readonly filters: ActivityFilters;
  /** The address of the user's own account. */
  readonly email: string | undefined;
}

function Entries({ page: { results, nextPageToken, keptDays }, filters, email }: EntriesProps) {
  return (
    <>
      {results.length === 0 ? (
        <EmptyState title="No entries found">
          <p>
            No entries match these filters. <a href="/app/activity">Clear filters</a>
          </p>
        </EmptyState>
      ) : (
        <Table
          label="Activity"
          stacks
          columns={COLUMNS}
          rows={results.map((entry) => ({
            key: entry.id,
            cells: [
              entry.at && <DateTime key="at" at={entry.at} />,
              <span key="what" class={styles.break}>
                {activitySentence(entry, email)}
              </span>,
              <span key="from" class={styles.break}>
                {entry.actor?.address ?? "–"}
              </span>,
            ],
          }))}
        />
      )}
      <p class={styles.pages}>
        {filters.page !== "" && <ButtonLink href={activityPath({ ...filters, page: "" })}>Newest</ButtonLink>}
        {nextPageToken !== undefined && <ButtonLink href={activityPath({ ...filters, page: nextPageToken })}>Older</ButtonLink>}
      </p>
      <p class={styles.hint}>
        Entries are kept for {formatNumber(keptDays)} days. If you do not recognise an entry,{" "}
        <a href="/app/account">change your password</a> and rotate your <a href="/app/keys">keys</a>.
      </p>
    </>
  );
}
