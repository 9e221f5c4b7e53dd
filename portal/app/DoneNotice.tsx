// Says what has been done, until the reader closes it.
import { Notice } from "../components/ui/Notice.tsx";

/** Shows nothing while there are no words. */
export const DoneNotice = ({ words, onClose }: { readonly words: string | undefined; readonly onClose: () => void }) =>
  words === undefined ? null : (
    <Notice tone="good" onClose={onClose}>
      {words}
    </Notice>
  );
