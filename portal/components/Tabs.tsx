// Tabs that need no script: radio buttons choose what is shown, arrow keys move between them.
import type { ComponentChildren } from "preact";
import styles from "./Tabs.module.css";

export interface Tab {
  readonly title: string;
  readonly content: ComponentChildren;
}

/** `name` is unique on its page. The first tab is selected initially. */
export function Tabs({ name, label, tabs }: { readonly name: string; readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <fieldset class={styles.tabs}>
      <legend class={styles.legend}>{label}</legend>
      {tabs.map(({ title, content }, index) => (
        <div key={title} class={styles.tab}>
          <label class={styles.title}>
            <input class={styles.choice} type="radio" name={name} value={title} defaultChecked={index === 0} />
            {title}
          </label>
          <div class={styles.panel}>{content}</div>
        </div>
      ))}
    </fieldset>
  );
}
