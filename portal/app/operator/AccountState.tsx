// The state of an account in words.
import { Badge } from "../../components/ui/Badge.tsx";

/** Whether it may make calls, and whether it is an operator's. */
export const AccountState = ({ suspended, isOperator }: { readonly suspended: boolean; readonly isOperator: boolean }) => (
  <>
    <Badge tone={suspended ? "off" : "good"} label={suspended ? "Suspended" : "Active"} />
    {isOperator && " "}
    {isOperator && <Badge tone="waits" label="Operator" />}
  </>
);
