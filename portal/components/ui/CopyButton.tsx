// A button that copies a text.
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "./Button.tsx";

const SHOWN_MS = 2000;
const WORDS = { ready: "Copy", done: "Copied", failed: "Copy it yourself" } as const;

/** `label` says what is copied, for who can't see it; `words` stand on the button. */
export function CopyButton({
  text,
  label,
  words = WORDS.ready,
}: {
  readonly text: string;
  readonly label: string;
  readonly words?: string;
}) {
  const [state, setState] = useState<keyof typeof WORDS>("ready");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState("done");
    } catch {
      // A page that is not secure may not copy.
      setState("failed");
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState("ready"), SHOWN_MS);
  };
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">
        {state === "ready" ? words : WORDS[state]}
        <span class="unseen"> {label}</span>
      </span>
    </Button>
  );
}
