// A dialog over the page. The browser keeps the focus inside, and returns it when the dialog closes.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import styles from "./Dialog.module.css";
import { focusHeading } from "./focus-heading.ts";

/**
 * The dialog is open while it is rendered. `onClose` is called when the user closes it with Escape or the × button. With `isPersistent`,
 * there is no × button and Escape does nothing, because the content would be lost.
 */
export function Dialog({
  title,
  isPersistent = false,
  onClose,
  children,
}: {
  readonly title: string;
  readonly isPersistent?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // The browser gives the focus back when a dialog is closed, but not when it is removed from the document, as it is here.
    return () => {
      if (opener instanceof HTMLElement && opener !== document.body && opener.isConnected) {
        opener.focus();
      } else {
        focusHeading();
      }
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={styles.dialog}
      aria-labelledby={id}
      // A page can prevent the first Escape, but not a second one.
      {...{ closedby: isPersistent ? "none" : "closerequest" }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isPersistent) {
          onClose();
        }
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      {/* The button comes last, so that the focus starts in the dialog's content. */}
      {!isPersistent && (
        <button type="button" class={styles.close} aria-label="Close" onClick={onClose}>
          ×
        </button>
      )}
    </dialog>
  );
}

/** The row of buttons at the end of a dialog. */
export const DialogActions = ({ children }: { readonly children: ComponentChildren }) => (
  <div class={styles.actions}>{children}</div>
);
