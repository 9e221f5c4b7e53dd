// Replaces every page for a customer whose account is suspended: says what that means, and who can lift the suspension.
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { reasonsOf } from "../api/reason.ts";
import { useQuery } from "../api/use-query.ts";
import { Heading } from "../components/ui/Heading.tsx";
import { Notice } from "../components/ui/Notice.tsx";

// Once the suspension is lifted, the pages come back without a reload.
const READ_INTERVAL_MS = 10_000;

export function Suspended() {
  const { data } = useQuery(AccountService.method.getAccount, {}, { refetchInterval: READ_INTERVAL_MS });
  const { name, email } = data?.account ?? {};
  return (
    <>
      <Heading title="This account is suspended" />
      <Notice tone="bad">
        The operator of this server has suspended it. Every call with its keys is refused (
        {reasonsOf("subscription").map((reason) => (
          <a key={reason} href={`/errors/${reason}`}>
            {reason}
          </a>
        ))}
        ), and nothing can be seen or changed here.
      </Notice>
      <p>
        Nothing is deleted: keys, subscriptions and usage are as they were. Once the operator lifts the suspension, your calls work
        again, and this page shows your account.
      </p>
      <p>
        To find out why, or to have the account deleted, ask the operator. They know it as <strong>{name}</strong>
        {email !== undefined && `, ${email}`}.
      </p>
    </>
  );
}
