// Tabs that need no script: radio buttons choose what is shown, arrow keys move between them.
import type { ComponentChildren } from "preact";
import { chosenLanguage, rememberLanguage } from "../api/chosen-language.ts";
import styles from "./Tabs.module.css";

export interface Tab {
  readonly title: string;
  readonly content: ComponentChildren;
}

/**
 * `name` is unique on its page. The first tab is selected initially, or if the tabs are languages the one that was last chosen:
 * scripts/reference.ts does that in documents.
 */
export function Tabs({
  name,
  label,
  tabs,
  areLanguages = false,
}: {
  readonly name: string;
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly areLanguages?: boolean;
}) {
  const chosen = areLanguages ? chosenLanguage() : undefined;
  const first = Math.max(
    0,
    tabs.findIndex(({ title }) => title === chosen),
  );
  return (
    <fieldset class={styles.tabs} data-languages={areLanguages || undefined}>
      <legend class={styles.legend}>{label}</legend>
      {tabs.map(({ title, content }, index) => (
        <div key={title} class={styles.tab}>
          <label class={styles.title}>
            <input
              class={styles.choice}
              type="radio"
              name={name}
              value={title}
              defaultChecked={index === first}
              {...(areLanguages && { onChange: () => rememberLanguage(title) })}
            />
            {title}
          </label>
          <div class={styles.panel}>{content}</div>
        </div>
      ))}
    </fieldset>
  );
}
