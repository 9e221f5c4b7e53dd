// The customer's account: whose it is, its sessions, its password, two-factor authentication, and deleting it.
import { useState } from "preact/hooks";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { ProfileService } from "../../../gen/quintet/account/v1/profile_pb.js";
import { pageAccount } from "../../api/page-account.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Day } from "../../components/ui/Time.tsx";
import { useOwnAccount } from "../role.ts";
import { useDialogInUrl } from "../use-dialog-in-url.ts";
import styles from "./Account.module.css";
import { ChangeEmailDialog } from "./account/ChangeEmailDialog.tsx";
import { DeleteAccountDialog } from "./account/DeleteAccountDialog.tsx";
import { PasskeySection } from "./account/PasskeySection.tsx";
import { PasswordForm } from "./account/PasswordForm.tsx";
import { SessionList } from "./account/SessionList.tsx";
import { TwoFactorSection } from "./account/TwoFactorSection.tsx";
import { VerifyNotice } from "./account/VerifyNotice.tsx";

export default function AccountPage() {
  const query = useQuery(AccountService.method.getAccount, {});
  const profile = useQuery(ProfileService.method.getProfile, {});
  const dialog = useDialogInUrl();
  const [isEmailChanged, setEmailChanged] = useState(false);
  // Shown together, so that nothing moves when the later one arrives.
  const isWaiting = profile.data === undefined && profile.problem === undefined;
  const requiresCode = profile.data?.twoFactor !== undefined;
  const account = useOwnAccount();
  const all = isWaiting ? { ...query, data: undefined } : query;
  return (
    <>
      <Heading title="Account" {...(pageAccount.shared !== undefined && { lead: "The account that you sign in with." })} />
      <Loaded query={all} rem={11}>
        {({ sendsMail }) => (
          <>
            <dl class={styles.facts}>
              <div>
                <dt>E-mail address</dt>
                <dd>{account?.email ?? "unknown"}</dd>
              </div>
              <div>
                <dt>Name shown to the operator</dt>
                <dd>{account?.name}</dd>
              </div>
              <div>
                <dt>Created</dt>
                <dd>{account?.createdAt && <Day at={account.createdAt} />}</dd>
              </div>
            </dl>
            {sendsMail === true && account?.email !== undefined && account.emailVerifiedAt === undefined && (
              <VerifyNotice email={account.email} />
            )}
            <Loaded query={profile} rem={6}>
              {({ sessions }) => <SessionList sessions={sessions} />}
            </Loaded>
            <section class={styles.section}>
              <h2>Change e-mail address</h2>
              {isEmailChanged && <Notice tone="good">Your e-mail address has been changed.</Notice>}
              <p>You sign in with this address, and we send e-mails to it.</p>
              <Button onClick={() => dialog.open("email")}>Change e-mail address</Button>
            </section>
            <PasswordForm email={account?.email} />
            {profile.data !== undefined && (
              <>
                <TwoFactorSection state={profile.data.twoFactor} dialog={dialog} />
                <PasskeySection passkeys={profile.data.passkeys} requiresCode={requiresCode} dialog={dialog} />
              </>
            )}
            <section class={styles.section}>
              <h2>Delete account</h2>
              <p>Your keys stop working immediately, and your personal data is deleted.</p>
              <Button kind="danger" onClick={() => dialog.open("delete")}>
                Delete account
              </Button>
            </section>
            {dialog.name === "email" && (
              <ChangeEmailDialog
                sendsMail={sendsMail === true}
                requiresCode={requiresCode}
                onClose={dialog.close}
                onChanged={() => {
                  setEmailChanged(true);
                  dialog.closeHere();
                }}
              />
            )}
            {dialog.name === "delete" && account?.email !== undefined && (
              <DeleteAccountDialog email={account.email} requiresCode={requiresCode} onClose={dialog.close} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
