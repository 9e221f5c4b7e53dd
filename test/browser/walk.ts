// Walks through the site as a person does it, and counts what the person does: each click, each field that is filled and each key.
import type { Locator, Page } from "playwright-core";

/** A walk that has started. */
export interface Walk {
  readonly actions: number;
  click(target: Locator): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** Prints how long it took, with the number of actions. */
  end(): void;
}

/** Begins one. `who` is in what it prints. */
export function startWalk(page: Page, who: string): Walk {
  const startMs = performance.now();
  let actions = 0;
  const act = async (done: Promise<void>): Promise<void> => {
    actions += 1;
    await done;
  };
  return {
    get actions() {
      return actions;
    },
    click: (target) => act(target.click()),
    fill: (field, text) => act(field.fill(text)),
    press: (key) => act(page.keyboard.press(key)),
    end: () => process.stdout.write(`${who}: ${actions} actions, ${((performance.now() - startMs) / 1000).toFixed(1)} s\n`),
  };
}
