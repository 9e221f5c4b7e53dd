// Turns the logging of calls' parameters on and off.
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { MemberRole } from "../../../gen/quintet/account/v1/member_pb.js";
import { UsageService } from "../../../gen/quintet/account/v1/usage_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Problem } from "../../components/ui/Problem.tsx";
import { useHasRole } from "../role.ts";
import styles from "./ParameterSwitch.module.css";

/** `isOn`: whether parameters are logged now. */
export function ParameterSwitch({ isOn }: { readonly isOn: boolean }) {
  const mayChange = useHasRole(MemberRole.DEVELOPER);
  const update = useMutation(AccountService.method.updateAccount, [
    AccountService.method.getAccount,
    UsageService.method.listCalls,
  ]);
  return (
    <section class={styles.parameters} aria-label="Parameters">
      <p>
        {isOn
          ? "The parameters of your calls are logged too. Turning this off deletes the parameters that were already logged."
          : "The parameters of your calls are not logged. Turn this on to see them with each call; only people with access to this account can see them."}
      </p>
      {mayChange && (
        <Button isBusy={update.isPending} onClick={() => void update.mutate({ settings: { logsParameters: !isOn } })}>
          {isOn ? "Stop logging parameters" : "Log parameters"}
        </Button>
      )}
      <Problem problem={update.problem} onRetry={() => void update.mutate({ settings: { logsParameters: !isOn } })} />
    </section>
  );
}
