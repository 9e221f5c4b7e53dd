// Panels with tabs. Only the chosen panel is rendered, because some are long.
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import styles from "./Console.module.css";

export interface Panel {
  readonly title: string;
  readonly content: () => ComponentChildren;
  /** Called when the panel is likely to be shown soon. */
  readonly preload?: () => void;
}

/** The panels, with a tab for each. `label` says what the panels show. Arrow keys move between the tabs. */
export function Panels({ label, panels }: { readonly label: string; readonly panels: readonly Panel[] }) {
  const [chosen, setChosen] = useState(0);
  const tabs = useRef<HTMLDivElement>(null);
  const id = useId();
  const choose = (index: number): void => {
    setChosen(index);
    tabs.current?.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
  };
  return (
    <>
      <div
        ref={tabs}
        role="tablist"
        class={styles.tabs}
        aria-label={label}
        onKeyDown={({ key }) => {
          const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? panels.length - 1 : 0;
          if (step !== 0) {
            choose((chosen + step) % panels.length);
          }
        }}
      >
        {panels.map(({ title, preload }, index) => (
          <button
            key={title}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === chosen}
            aria-controls={index === chosen ? `${id}-panel` : undefined}
            tabIndex={index === chosen ? 0 : -1}
            onPointerEnter={preload}
            onClick={() => setChosen(index)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${chosen}`}>
        {panels[chosen]?.content()}
      </div>
    </>
  );
}
