// A dialog over the page. The browser keeps the focus inside, and gives it back afterwards.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import styles from "./Dialog.module.css";

/**
 * It is open as long as it is rendered. `onClose` is called when the reader closes it, by Escape or by its button. With `isKept` it stays when
 * Escape is pressed: what it shows would be lost.
 */
export function Dialog({
  title,
  isKept = false,
  onClose,
  children,
}: {
  readonly title: string;
  readonly isKept?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={styles.dialog}
      aria-labelledby={id}
      // A page can hold back a first Escape, but not a second one.
      {...{ closedby: isKept ? "none" : "closerequest" }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isKept) {
          onClose();
        }
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      {/* It stands last, so that the focus begins in what the dialog is for. */}
      {!isKept && (
        <button type="button" class={styles.close} aria-label="Close" onClick={onClose}>
          ×
        </button>
      )}
    </dialog>
  );
}

/** The row of buttons at its end. */
export const DialogActions = ({ children }: { readonly children: ComponentChildren }) => (
  <div class={styles.actions}>{children}</div>
);
