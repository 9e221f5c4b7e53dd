// The state of a key in words.
import { KeyState } from "../../gen/quintet/account/v1/account_pb.js";
import { Badge } from "../components/ui/Badge.tsx";

const STATES = {
  [KeyState.UNSPECIFIED]: { tone: "off", words: "Unknown" },
  [KeyState.ACTIVE]: { tone: "good", words: "Active" },
  [KeyState.DISABLED]: { tone: "waits", words: "Disabled" },
  [KeyState.EXPIRED]: { tone: "off", words: "Expired" },
  [KeyState.REVOKED]: { tone: "off", words: "Revoked" },
} as const;

export const KeyStateBadge = ({ state }: { readonly state: KeyState }) => <Badge {...STATES[state]} />;
