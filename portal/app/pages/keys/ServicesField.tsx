// Which services a key may call: all of them, or only those that are chosen.
import { useId } from "preact/hooks";
import { CheckboxList } from "../../../components/ui/CheckboxList.tsx";
import { SERVICES } from "../../../content/services.ts";
import styles from "./ServicesField.module.css";

const CHOICES = SERVICES.map(({ name, title }) => [name, title] as const);

/** The services that the user chose; empty for all. `isNoneChosen`: the user wants only some services, but has chosen none. */
export function servicesOf(values: FormData): { readonly names: string[]; readonly isNoneChosen: boolean } {
  const isAll = values.get("scope") === "all";
  const names = isAll ? [] : values.getAll("services").map(String);
  return { names, isNoneChosen: !isAll && names.length === 0 };
}

/** The field. `chosen`: the services that are selected at first; empty for all. */
export function ServicesField({
  chosen = [],
  isNoneChosen,
  error,
}: {
  readonly chosen?: readonly string[];
  readonly isNoneChosen: boolean;
  readonly error?: string | undefined;
}) {
  const id = useId();
  const isAll = chosen.length === 0;
  return (
    <div class={styles.field} role="radiogroup" aria-labelledby={id}>
      <span id={id} class={styles.legend}>
        Services that the key can call
      </span>
      <label>
        <input type="radio" name="scope" value="all" defaultChecked={isAll} /> All services, including new ones
      </label>
      <label>
        <input type="radio" name="scope" value="some" defaultChecked={!isAll} /> Only these
      </label>
      <div class={styles.some}>
        <CheckboxList
          legend="Services"
          name="services"
          options={CHOICES}
          chosen={chosen}
          error={isNoneChosen ? "are required: choose at least one, or all services" : error}
        />
      </div>
    </div>
  );
}
