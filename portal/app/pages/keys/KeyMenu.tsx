// The menu of actions on a key.
import { type Key, KeyState } from "../../../../gen/quintet/account/v1/key_pb.js";
import { Menu, MenuItem, MenuLink } from "../../../components/ui/Menu.tsx";
import { pathOf } from "../../usage/filters.ts";

/** The actions that the page provides for the menu. */
export interface KeyActions {
  /** Whether the user's role allows changes. */
  readonly mayChange: boolean;
  /** Opens one of the page's dialogs for the key. */
  readonly open: (dialog: string, values: Readonly<Record<string, string>>) => void;
  /** Disables or enables the key. */
  readonly toggle: (key: Key) => void;
}

/** The menu. A key that has expired or was revoked can no longer be changed. */
export function KeyMenu({ apiKey, actions }: { readonly apiKey: Key; readonly actions: KeyActions }) {
  const { id, name, state } = apiKey;
  const isDisabled = state === KeyState.DISABLED;
  const canChange = actions.mayChange && (state === KeyState.ACTIVE || isDisabled);
  const dialog = (which: string, label: string) => <MenuItem onClick={() => actions.open(which, { id })}>{label}</MenuItem>;
  return (
    <Menu label={`Actions for ${name}`}>
      {canChange && (
        <>
          {dialog("edit", "Edit")}
          {dialog("limits", "Limits")}
          {dialog("rotate", "Rotate")}
          <MenuItem onClick={() => actions.toggle(apiKey)}>{isDisabled ? "Enable" : "Disable"}</MenuItem>
        </>
      )}
      <MenuLink href={pathOf({ span: "30d", service: "", key: id, by: "outcome", measure: "median" })}>View usage</MenuLink>
      {canChange && (
        <MenuItem tone="danger" onClick={() => actions.open("revoke", { id })}>
          Revoke
        </MenuItem>
      )}
    </Menu>
  );
}
