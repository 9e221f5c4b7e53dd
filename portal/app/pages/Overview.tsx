// How the customer's account stands: what to do next, and the month of each subscription.
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { type Row, Table } from "../../components/ui/Table.tsx";
import { formatNumber, serviceTitle } from "../formats.ts";

const COLUMNS = [
  { heading: "Service" },
  { heading: "Plan" },
  { heading: "Calls this month", isFigure: true },
  { heading: "Calls left", isFigure: true },
];

export default function Overview() {
  const usage = useQuery(AccountService.method.getUsage, { limit: 1 });
  return (
    <>
      <Heading title="Overview" />
      <Loaded query={usage} rem={16}>
        {({ standings }) =>
          standings.length === 0 ? (
            <EmptyState title="You have no active subscription">
              <p>Subscribe to a service, make a key, and call it.</p>
              <ButtonLink kind="primary" href="/app/subscriptions">
                Choose a plan
              </ButtonLink>
            </EmptyState>
          ) : (
            <Table
              label="Your subscriptions this month"
              columns={COLUMNS}
              rows={standings.map(
                ({ service, plan, counted, remaining }): Row => ({
                  key: service,
                  cells: [
                    serviceTitle(service),
                    plan,
                    formatNumber(counted),
                    remaining === undefined ? "–" : formatNumber(remaining),
                  ],
                }),
              )}
            />
          )
        }
      </Loaded>
    </>
  );
}
