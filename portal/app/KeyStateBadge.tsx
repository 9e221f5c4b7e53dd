// The state of a key in words.
import { KeyState } from "../../gen/quintet/account/v1/key_pb.js";
import { Badge } from "../components/ui/Badge.tsx";

const STATES = {
  [KeyState.UNSPECIFIED]: { tone: "off", label: "Unknown" },
  [KeyState.ACTIVE]: { tone: "good", label: "Active" },
  [KeyState.DISABLED]: { tone: "waits", label: "Disabled" },
  [KeyState.EXPIRED]: { tone: "off", label: "Expired" },
  [KeyState.REVOKED]: { tone: "off", label: "Revoked" },
} as const;

export const KeyStateBadge = ({ state }: { readonly state: KeyState }) => <Badge {...STATES[state]} />;
