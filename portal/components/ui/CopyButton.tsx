// A button that copies a string.
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "./Button.tsx";

const SHOWN_MS = 2000;
const LABELS = { ready: "Copy", done: "Copied", failed: "Could not copy" } as const;

/** `label` says what is copied, for screen readers; `buttonText` is what the button shows. */
export function CopyButton({
  text,
  label,
  buttonText = LABELS.ready,
  onCopied,
}: {
  readonly text: string;
  readonly label: string;
  readonly buttonText?: string;
  readonly onCopied?: () => void;
}) {
  const [state, setState] = useState<keyof typeof LABELS>("ready");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState("done");
      onCopied?.();
    } catch {
      // Only a secure page may copy.
      setState("failed");
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState("ready"), SHOWN_MS);
  };
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">
        {state === "ready" ? buttonText : LABELS[state]}
        <span class="unseen"> {label}</span>
      </span>
    </Button>
  );
}
