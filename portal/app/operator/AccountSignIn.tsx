// How the owner of an account signs in, and a reset for owners who have lost the authenticator app and the passkeys.
import { useState } from "preact/hooks";
import type { GetAccountResponse } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { Button } from "../../components/ui/Button.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Day } from "../../components/ui/Time.tsx";
import { useLoaded } from "../../components/ui/use-loaded.ts";
import { formatCount } from "../formats.ts";
import { useOwnAccount } from "../role.ts";
import { useDialogInUrl } from "../use-dialog-in-url.ts";
import styles from "./OperatorPage.module.css";

const loadResetDialog = async () => (await import("./ResetTwoFactorDialog.tsx")).ResetTwoFactorDialog;

export function AccountSignIn({ found }: { readonly found: GetAccountResponse }) {
  const { account, twoFactorSince, recoveryCodesLeft = 0, passkeys } = found;
  const dialog = useDialogInUrl();
  const ResetTwoFactorDialog = useLoaded(loadResetDialog, dialog.name === "reset-two-factor");
  const own = useOwnAccount();
  const [done, setDone] = useState<string>();
  // Nobody can sign in to an account without an address.
  if (account?.email === undefined || own === undefined) {
    return null;
  }
  const isOwn = own.id === account.id;
  const canReset = !isOwn && (twoFactorSince !== undefined || passkeys > 0);
  return (
    <section class={styles.part}>
      <h2>Signing in</h2>
      {!canReset && done !== undefined && <Notice tone="plain">{done}</Notice>}
      <p>
        {twoFactorSince === undefined ? (
          "With the password alone"
        ) : (
          <>
            With the password and, since <Day at={twoFactorSince} />, a code ({formatCount(recoveryCodesLeft, "recovery code")}{" "}
            left)
          </>
        )}
        {passkeys > 0 && `, or with ${passkeys === 1 ? "a passkey" : `one of ${passkeys} passkeys`}`}.
      </p>
      {isOwn && (
        <p>
          This is your own account. Change how you sign in on <a href="/app/account">your account page</a>.
        </p>
      )}
      {canReset && <Button onClick={() => dialog.open("reset-two-factor")}>Reset two-factor authentication</Button>}
      {canReset && dialog.name === "reset-two-factor" && ResetTwoFactorDialog !== undefined && (
        <ResetTwoFactorDialog accountId={account.id} email={account.email} onDone={setDone} onClose={dialog.close} />
      )}
    </section>
  );
}
