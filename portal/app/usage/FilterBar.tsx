// Chooses the service and the key that the page shows. The choice is kept in the URL, so that Back and a copied link keep it.
import { useLocation } from "preact-iso";
import type { Key } from "../../../gen/quintet/account/v1/key_pb.js";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { SelectField } from "../../components/ui/Field.tsx";
import { serviceTitle } from "../formats.ts";
import styles from "./FilterBar.module.css";
import { type Filters, pathOf } from "./filters.ts";
import { keyName } from "./MonthTables.tsx";

/** `keys` are all keys of the account. */
export function FilterBar({ filters, keys }: { readonly filters: Filters; readonly keys: readonly Key[] }) {
  const { route } = useLocation();
  const choose = (changes: Partial<Filters>): void => route(pathOf({ ...filters, ...changes }));
  // The URL may name a key that has since been deleted.
  const ids = new Set(["", filters.key, ...keys.map(({ id }) => id)]);
  return (
    <div class={styles.filters}>
      <SelectField
        label="Service"
        name="service"
        value={filters.service}
        options={[["", "All services"], ...SERVICE_NAMES.map((one) => [one, serviceTitle(one)] as const)]}
        onChange={(service) => choose({ service })}
      />
      <SelectField
        label="Key"
        name="key"
        value={filters.key}
        options={[...ids].map((id) => [id, id === "" ? "All keys" : keyName(keys, id)] as const)}
        onChange={(key) => choose({ key })}
      />
    </div>
  );
}
