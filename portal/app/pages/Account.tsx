// The customer's account: who it is, and its password.
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Day } from "../../components/ui/Time.tsx";
import styles from "./Account.module.css";
import { PasswordForm } from "./PasswordForm.tsx";

export default function AccountPage() {
  const query = useQuery(AccountService.method.getAccount, {});
  return (
    <>
      <Heading title="Account" />
      <Loaded query={query} rem={11}>
        {({ account }) => (
          <>
            {account?.suspended === true && (
              <Notice tone="bad">
                This account is suspended: every call of a data service is refused. Ask the operator of this server why.
              </Notice>
            )}
            <dl class={styles.facts}>
              <div>
                <dt>E-mail address</dt>
                <dd>{account?.email ?? "unknown"}</dd>
              </div>
              <div>
                <dt>Name that the operator uses</dt>
                <dd>{account?.name}</dd>
              </div>
              <div>
                <dt>Made</dt>
                <dd>{account?.createdAt && <Day at={account.createdAt} />}</dd>
              </div>
            </dl>
            <PasswordForm email={account?.email} />
          </>
        )}
      </Loaded>
    </>
  );
}
