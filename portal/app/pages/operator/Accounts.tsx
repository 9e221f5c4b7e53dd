// All accounts, which can be searched by name, e-mail address or key.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type FoundKey, OperatorService } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { Day } from "../../../components/ui/Time.tsx";
import { AccountState } from "../../operator/AccountState.tsx";
import { FoundKeys, KeysEndingIn } from "../../operator/FoundKeys.tsx";
import { searchedFor } from "../../operator/key-search.ts";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { offsetOf, PAGE_ROWS, Pages } from "../../operator/Pages.tsx";

const COLUMNS = [{ heading: "Account" }, { heading: "E-mail address" }, { heading: "Status" }, { heading: "Created" }];

export default function Accounts() {
  return <OperatorPage title="Accounts">{() => <AccountList />}</OperatorPage>;
}

function AccountList() {
  const { path, query, route } = useLocation();
  const typed = (query.search ?? "").slice(0, 254);
  const wanted = searchedFor(typed);
  // This page never puts a key in the URL. If there is one anyway, it is not sent to the server.
  const search = wanted.kind === "key" ? "" : typed;
  const onlySuspended = query.suspended === "yes";
  const accounts = useQuery(OperatorService.method.listAccounts, {
    search,
    onlySuspended,
    limit: PAGE_ROWS,
    offset: offsetOf(query),
  });
  const byKey = useMutation(OperatorService.method.findKeys);
  const [found, setFound] = useState<readonly FoundKey[]>();
  const find = async (text: string): Promise<void> => {
    const next = searchedFor(text);
    setFound(undefined);
    byKey.reset();
    if (next.kind !== "key") {
      route(text === "" ? path : `${path}?${new URLSearchParams({ search: text })}`);
      return;
    }
    setFound((await byKey.mutate({ by: { case: "key", value: next.key } }))?.results);
  };
  return (
    <>
      <search>
        <form
          class={styles.search}
          // The browser itself must not submit the form: the text may be a key, which does not belong in a URL.
          method="post"
          onSubmit={(event) => {
            event.preventDefault();
            void find(String(new FormData(event.currentTarget).get("search")).trim());
          }}
        >
          <Field
            label="Search"
            name="search"
            type="search"
            autocomplete="off"
            maxLength={254}
            defaultValue={search}
            hint="Part of a name or e-mail address, an ID, the last four characters of a key, or a whole key."
          />
          <Button type="submit" isBusy={byKey.isPending}>
            Search
          </Button>
        </form>
      </search>
      {onlySuspended && (
        <p>
          Only suspended accounts. <a href={path}>Show all accounts</a>
        </p>
      )}
      {byKey.problem !== undefined && <Notice tone="bad">{byKey.problem.message}</Notice>}
      {found?.length === 0 && (
        <Notice tone="plain">
          No account has this key: it was not created here, or it expired or was revoked long ago and has been deleted.
        </Notice>
      )}
      {found !== undefined && found.length > 0 && <FoundKeys title="Owner of this key" keys={found} />}
      {wanted.kind === "lastFour" && <KeysEndingIn lastFour={wanted.lastFour} />}
      <div class={styles.part}>
        <Loaded query={accounts} rem={30}>
          {({ results, total, nextOffset }) =>
            results.length === 0 ? (
              <EmptyState title="No accounts found">
                <p>
                  {onlySuspended ? "No account is suspended." : "No name or e-mail address contains this text. Try a shorter one."}
                </p>
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
                      <a key="name" class={styles.break} href={`/app/operator/accounts/id/${account.id}`}>
                        {account.name}
                      </a>,
                      <span key="email" class={styles.break}>
                        {account.email ?? "None"}
                      </span>,
                      <AccountState key="state" suspended={account.suspended} isOperator={account.operator === true} />,
                      account.createdAt && <Day key="made" at={account.createdAt} />,
                    ],
                  }))}
                />
                <Pages count={results.length} total={total} nextOffset={nextOffset} />
              </>
            )
          }
        </Loaded>
      </div>
    </>
  );
}
