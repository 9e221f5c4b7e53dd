// In place of every page of a customer whose account is suspended: what that means, and who can end it.
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../api/use-query.ts";
import { Heading } from "../components/ui/Heading.tsx";
import { Notice } from "../components/ui/Notice.tsx";

// The pages come back by themselves.
const READ_EVERY_MS = 10_000;

export function Suspended() {
  const { data } = useQuery(AccountService.method.getAccount, {}, { refetchInterval: READ_EVERY_MS });
  const { name, email } = data?.account ?? {};
  return (
    <>
      <Heading title="This account is suspended" />
      <Notice tone="bad">
        The operator of this server has suspended it. Every call with its keys is refused (
        <a href="/errors/SUBSCRIPTION_REQUIRED">SUBSCRIPTION_REQUIRED</a>), and nothing can be seen or changed here.
      </Notice>
      <p>
        Nothing is deleted: keys, subscriptions and usage are as they were. Once the operator lifts the suspension, calls are let in
        again from the next one on, and this page shows the account.
      </p>
      <p>
        Ask the operator why, or to delete the account. They know it as <strong>{name}</strong>
        {email !== undefined && `, ${email}`}.
      </p>
    </>
  );
}
