// Shows and chooses the key for calls: one created here that lasts 15 minutes, or the customer's own, which is also kept only in memory.
import { useEffect, useState } from "preact/hooks";
import { consoleKeys } from "../../api/page-console-key.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Field } from "../../components/ui/Field.tsx";
import styles from "./Console.module.css";

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const KEY_SHAPE = /^qk_(live|test)_(\d{2})?\w{38}$/;

export function KeyLine() {
  const [state, setState] = useState(consoleKeys.state);
  const [typed, setTyped] = useState("");
  useEffect(() => consoleKeys.subscribe(() => setState(consoleKeys.state)), []);
  const use = (): void => {
    consoleKeys.useOwn(typed.trim());
    setTyped("");
  };
  return (
    <details class={styles.key}>
      <summary>{labelOf(state)}</summary>
      <p class={styles.hint}>
        The console creates a key that lasts 15 minutes, can call every service you subscribe to, and is kept only in memory. It is
        forgotten when you leave the page.
      </p>
      {state.kind === "own" ? (
        <Button onClick={() => consoleKeys.useOwn(undefined)}>Use the console's key</Button>
      ) : (
        // Not a form, because it is inside the form of the call.
        <div>
          <Field
            label="Your own key"
            hint="It stays in memory until you leave the page."
            error={
              typed === "" || KEY_SHAPE.test(typed.trim())
                ? undefined
                : "must be qk_live_ or qk_test_ followed by 38 or 40 letters and digits"
            }
            type="password"
            autoComplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Button onClick={use} isBusy={!KEY_SHAPE.test(typed.trim())}>
            Use this key
          </Button>
        </div>
      )}
    </details>
  );
}

function labelOf(state: typeof consoleKeys.state): string {
  switch (state.kind) {
    case "none":
      return "Key: created when you send a call";
    case "created":
      return `Key: …${state.lastFour}, until ${TIME.format(state.endsAtMs)}`;
    case "own":
      return `Key: your own, …${state.lastFour}`;
  }
}
