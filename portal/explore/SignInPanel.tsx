// What a visitor without a session sees: why a session is needed, and how to get one; in a sandbox, which account to use.
import { useEffect, useState } from "preact/hooks";
import { ButtonLink } from "../components/ui/Button.tsx";
import { visitorPath } from "../components/visitor-paths.ts";
import styles from "./SignInPanel.module.css";

// Every response of a data service says whether its data is invented, even a refusal.
const PROBE = "/farkle/v1/score?dice=1";

export function SignInPanel() {
  const [isSandbox, setSandbox] = useState(false);
  useEffect(() => {
    fetch(PROBE).then(
      ({ headers }) => setSandbox(headers.get("x-quintet-data") === "sandbox"),
      () => {
        // Without a response, the panel does not mention the sandbox.
      },
    );
  }, []);
  return (
    <section class={styles.panel} aria-label="Sign in">
      <h2>Sign in to see live data</h2>
      <p>
        This page calls the API as your own program would, with a temporary key that lasts 15 minutes and stays in this page's
        memory. Its calls count against your plans.
      </p>
      {isSandbox && (
        <p>
          This is a sandbox. Sign in as <code>demo@example.com</code> with the password <code>quintet sandbox</code>.
        </p>
      )}
      <p class={styles.actions}>
        <ButtonLink kind="primary" href={visitorPath("sign-in")}>
          Sign in
        </ButtonLink>
        <ButtonLink href={visitorPath("sign-up")}>Sign up</ButtonLink>
      </p>
    </section>
  );
}
