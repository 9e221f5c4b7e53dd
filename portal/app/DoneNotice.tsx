// Says what has been done, until the user closes it.
import { Notice } from "../components/ui/Notice.tsx";

/** Shows nothing while there is no message. */
export const DoneNotice = ({ message, onClose }: { readonly message: string | undefined; readonly onClose: () => void }) =>
  message === undefined ? null : (
    <Notice tone="good" onClose={onClose}>
      {message}
    </Notice>
  );
