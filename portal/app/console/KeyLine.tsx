// Which key is called with: one that is made here for a quarter of an hour, or the customer's own, which stays in memory too.
import { useEffect, useState } from "preact/hooks";
import { consoleKeys } from "../../api/page-console-key.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Field } from "../../components/ui/Field.tsx";
import styles from "./Console.module.css";

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const KEY_SHAPE = /^qk_(live|test)_\w{38}$/;

/** The line. */
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
      <summary>{wordsOf(state)}</summary>
      <p class={styles.hint}>
        A key that the console makes lives 15 minutes, may call every service that you subscribe to, and is held in memory alone. It
        is revoked when you leave the page.
      </p>
      {state.kind === "own" ? (
        <Button onClick={() => consoleKeys.useOwn(undefined)}>Use the console's own key again</Button>
      ) : (
        // Not sent: it would be a form inside the form of the call.
        <div>
          <Field
            label="Your own key"
            hint="It stays in memory until you leave the page."
            error={typed === "" || KEY_SHAPE.test(typed.trim()) ? undefined : "is qk_live_ or qk_test_ and 38 letters and digits"}
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

function wordsOf(state: typeof consoleKeys.state): string {
  switch (state.kind) {
    case "none":
      return "Key: made when you send";
    case "made":
      return `Key: …${state.lastFour}, until ${TIME.format(state.endsAtMs)}`;
    case "own":
      return `Key: your own, …${state.lastFour}`;
  }
}
