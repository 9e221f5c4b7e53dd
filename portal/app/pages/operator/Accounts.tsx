// All accounts, found by a part of their name or e-mail address.
import { useLocation } from "preact-iso";
import { OperatorService } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { Day } from "../../../components/ui/Time.tsx";
import { AccountState } from "../../operator/AccountState.tsx";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { offsetOf, PAGE_ROWS, Pages } from "../../operator/Pages.tsx";

const COLUMNS = [{ heading: "Account" }, { heading: "E-mail address" }, { heading: "State" }, { heading: "Created" }];

export default function Accounts() {
  return <OperatorPage title="Accounts">{() => <AccountList />}</OperatorPage>;
}

function AccountList() {
  const { path, query, route } = useLocation();
  const search = (query.search ?? "").slice(0, 254);
  const accounts = useQuery(OperatorService.method.listAccounts, { search, limit: PAGE_ROWS, offset: offsetOf(query) });
  return (
    <>
      <search>
        <form
          class={styles.search}
          onSubmit={(event) => {
            event.preventDefault();
            const text = String(new FormData(event.currentTarget).get("search")).trim();
            route(text === "" ? path : `${path}?${new URLSearchParams({ search: text })}`);
          }}
        >
          <Field
            label="Search"
            name="search"
            type="search"
            maxLength={254}
            defaultValue={search}
            hint="Part of the name or e-mail address, or an id."
          />
          <Button type="submit">Search</Button>
        </form>
      </search>
      <div class={styles.part}>
        <Loaded query={accounts} rem={30}>
          {({ results, total, hasMore }) =>
            results.length === 0 ? (
              <EmptyState title="No accounts found">
                <p>No name or e-mail address contains this text. Try a shorter part of it.</p>
              </EmptyState>
            ) : (
              <>
                <Table
                  label="Accounts"
                  stacks
                  columns={COLUMNS}
                  rows={results.map((account) => ({
                    key: account.id,
                    cells: [
                      <a key="name" class={styles.break} href={`/app/operator/accounts/${account.id}`}>
                        {account.name}
                      </a>,
                      <span key="email" class={styles.break}>
                        {account.email ?? "none"}
                      </span>,
                      <AccountState key="state" suspended={account.suspended} isOperator={account.isOperator === true} />,
                      account.createdAt && <Day key="made" at={account.createdAt} />,
                    ],
                  }))}
                />
                <Pages count={results.length} total={total} hasMore={hasMore} />
              </>
            )
          }
        </Loaded>
      </div>
    </>
  );
}
