// Chooses which calls of the log are shown. The choice is kept in the URL, so that Back and a copied link keep it.
import { useLocation } from "preact-iso";
import type { Key } from "../../../gen/quintet/account/v1/key_pb.js";
import type { ApiProblem } from "../../api/problem.ts";
import { reasonsOf } from "../../api/reason.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Field, SelectField } from "../../components/ui/Field.tsx";
import { SERVICES } from "../../content/services.ts";
import { keyName } from "../usage/MonthTables.tsx";
import styles from "./LogFilterBar.module.css";
import { type LogFilters, logPath, methodOptions, RESULTS } from "./log-filters.ts";

/** `keys` are the account's; `problem` is why the last search failed. */
export function LogFilterBar({
  filters,
  keys,
  problem,
}: {
  readonly filters: LogFilters;
  readonly keys: readonly Key[];
  readonly problem: ApiProblem | undefined;
}) {
  const { route } = useLocation();
  const choose = (changes: Partial<LogFilters>): void => route(logPath({ ...filters, page: "", ...changes }));
  // The URL may name a key that is no longer kept.
  const ids = new Set(["", filters.key, ...keys.map(({ id }) => id)]);
  const chooseService = (service: string): void => {
    const hasMethod = methodOptions(service).some(([method]) => method === filters.method);
    choose({ service, method: hasMethod ? filters.method : "" });
  };
  return (
    <search>
      <form
        class={styles.filters}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          choose({ request: String(form.get("request")), outcome: String(form.get("outcome")) });
        }}
      >
        <Field
          label="Request ID"
          name="request"
          type="search"
          defaultValue={filters.request}
          maxLength={128}
          error={problem?.fields.request_id}
        />
        <SelectField
          label="Service"
          name="service"
          value={filters.service}
          options={[["", "All services"], ...SERVICES.map(({ name, title }) => [name, title] as const)]}
          onChange={chooseService}
        />
        <SelectField
          label="Method"
          name="method"
          value={filters.method}
          options={[["", "All methods"], ...methodOptions(filters.service)]}
          onChange={(method) => choose({ method })}
        />
        <SelectField
          label="Outcome"
          name="result"
          value={filters.result}
          options={RESULTS}
          onChange={(result) => choose({ result })}
        />
        <Field
          label="Reason"
          name="outcome"
          type="search"
          placeholder={reasonsOf("rate")[0]}
          defaultValue={filters.outcome}
          maxLength={64}
          error={problem?.fields.outcome}
        />
        <SelectField
          label="Key"
          name="key"
          value={filters.key}
          options={[...ids].map((id) => [id, id === "" ? "All keys" : keyName(keys, id)] as const)}
          onChange={(key) => choose({ key })}
        />
        <Field
          label="From"
          name="since"
          type="datetime-local"
          value={filters.since}
          onChange={(event) => choose({ since: event.currentTarget.value })}
        />
        <Field
          label="Before"
          name="until"
          type="datetime-local"
          value={filters.until}
          errorLabel="This time"
          error={problem?.fields.until === undefined ? undefined : "must be later than the one in “From”"}
          onChange={(event) => choose({ until: event.currentTarget.value })}
        />
        <p class={styles.search}>
          <Button type="submit">Search</Button>
        </p>
      </form>
    </search>
  );
}
