// The buttons at the end of a dialog.
import { Button, type ButtonKind } from "../components/ui/Button.tsx";
import { DialogActions } from "../components/ui/Dialog.tsx";

/** A button that cancels, and one that confirms: by `onConfirm`, or else by submitting the form around it. */
export const ConfirmButtons = ({
  kind = "primary",
  label,
  busyLabel = label,
  cancelLabel = "Cancel",
  isBusy,
  onConfirm,
  onClose,
}: {
  readonly kind?: ButtonKind;
  readonly label: string;
  /** The label while `isBusy`. */
  readonly busyLabel?: string;
  readonly cancelLabel?: string;
  readonly isBusy: boolean;
  readonly onConfirm?: () => void;
  readonly onClose: () => void;
}) => (
  <DialogActions>
    <Button onClick={onClose}>{cancelLabel}</Button>
    <Button kind={kind} type={onConfirm === undefined ? "submit" : "button"} isBusy={isBusy} onClick={onConfirm}>
      {isBusy ? busyLabel : label}
    </Button>
  </DialogActions>
);

/** The button of a dialog in which there is nothing to decide. */
export const CloseButton = ({ label = "Close", onClose }: { readonly label?: string; readonly onClose: () => void }) => (
  <DialogActions>
    <Button kind="primary" onClick={onClose}>
      {label}
    </Button>
  </DialogActions>
);
