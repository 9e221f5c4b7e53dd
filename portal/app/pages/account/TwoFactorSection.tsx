// Two-factor authentication on the account page: whether it is on, and the dialogs that turn it on and off.
import { useState } from "preact/hooks";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import type { TwoFactor } from "../../../../gen/quintet/account/v1/two_factor_pb.js";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { later } from "../../../components/ui/later.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Day } from "../../../components/ui/Time.tsx";
import type { DialogInUrl } from "../../use-dialog-in-url.ts";
import styles from "../Account.module.css";
import { ProveTwoFactorDialog } from "./ProveTwoFactorDialog.tsx";
import { RecoveryCodesDialog } from "./RecoveryCodesDialog.tsx";

const { endTwoFactor, replaceRecoveryCodes } = ProfileService.method;
// Loaded only when it is opened, because it includes the code that draws QR codes.
const TurnOnTwoFactorDialog = later(() => import("./TurnOnTwoFactorDialog.tsx").then((loaded) => loaded.TurnOnTwoFactorDialog), 1);
// With this many recovery codes left or fewer, users are asked to create new ones.
const FEW_CODES = 3;

/** `state`: the user's two-factor authentication; undefined if it is off. */
export function TwoFactorSection({ state, dialog }: { readonly state: TwoFactor | undefined; readonly dialog: DialogInUrl }) {
  const { onSince, recoveryCodesLeft = 0 } = state ?? {};
  const [codes, setCodes] = useState<readonly string[]>();
  const isOn = onSince !== undefined;
  const closeWith = (shown: readonly string[] | undefined): void => {
    setCodes(shown);
    dialog.closeHere();
  };
  return (
    <section class={styles.section}>
      <h2>Two-factor authentication</h2>
      {onSince === undefined ? (
        <>
          <p>Require a code from an app on your phone as well as your password, so that a stolen password is not enough.</p>
          <Button onClick={() => dialog.open("two-factor")}>Turn on</Button>
        </>
      ) : (
        <>
          <p>
            <Badge tone="good" label="On" /> since <Day at={onSince} />. Recovery codes left: {recoveryCodesLeft} of 10.
          </p>
          {recoveryCodesLeft <= FEW_CODES && (
            <Notice tone="bad">Create new recovery codes: without them, losing your phone means losing your account.</Notice>
          )}
          <p class={styles.buttons}>
            <Button onClick={() => dialog.open("recovery-codes")}>New recovery codes</Button>
            <Button kind="danger" onClick={() => dialog.open("two-factor-off")}>
              Turn off
            </Button>
          </p>
        </>
      )}
      {codes !== undefined && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
      {dialog.name === "two-factor" && !isOn && <TurnOnTwoFactorDialog onClose={dialog.close} onTurnedOn={closeWith} />}
      {dialog.name === "recovery-codes" && isOn && (
        <ProveTwoFactorDialog
          title="New recovery codes"
          message="Your current codes stop working."
          button="Create new codes"
          method={replaceRecoveryCodes}
          onClose={dialog.close}
          onDone={closeWith}
        />
      )}
      {dialog.name === "two-factor-off" && isOn && (
        <ProveTwoFactorDialog
          title="Turn off two-factor authentication"
          message="Your password alone will be enough to sign in. This signs you out everywhere else."
          button="Turn off"
          isDangerous
          method={endTwoFactor}
          onClose={dialog.close}
          onDone={closeWith}
        />
      )}
    </section>
  );
}
