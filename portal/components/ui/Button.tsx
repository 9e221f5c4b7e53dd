// A button, and a link that looks like one.
import type { ComponentChildren } from "preact";
import styles from "./Button.module.css";

/** `primary` is the one thing to do on a page, `danger` cannot be undone, `plain` has no frame. */
export type ButtonKind = "primary" | "secondary" | "danger" | "plain";

/** The properties of a button. */
export interface ButtonProps {
  readonly kind?: ButtonKind;
  readonly type?: "button" | "submit";
  /** Whether its action is running: pressing it again then does nothing. Unlike a disabled button, it keeps the focus. */
  readonly isBusy?: boolean;
  /** What the button does, if its text alone does not say. */
  readonly label?: string;
  readonly onClick?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

export const Button = ({ kind = "secondary", type = "button", isBusy = false, label, onClick, children }: ButtonProps) => (
  <button
    type={type}
    class={`${styles.button} ${styles[kind]}`}
    aria-disabled={isBusy || undefined}
    aria-label={label}
    onClick={(event) => {
      if (isBusy) {
        event.preventDefault();
      } else {
        onClick?.();
      }
    }}
  >
    {children}
  </button>
);

export const ButtonLink = ({
  href,
  kind = "secondary",
  children,
}: {
  readonly href: string;
  readonly kind?: ButtonKind;
  readonly children: ComponentChildren;
}) => (
  <a href={href} class={`${styles.button} ${styles[kind]}`}>
    {children}
  </a>
);
