// Shown at the top of a page that was reloaded because the browser has signed in to another account.
import { useState } from "preact/hooks";
import { takeAccountChanged } from "../../api/leave-account.ts";
import { Notice } from "./Notice.tsx";

/** Shows nothing if the page was loaded for another reason. `email` belongs to the account that the page shows now. */
export function AccountChanged({ email }: { readonly email?: string | undefined }) {
  const [isChanged] = useState(takeAccountChanged);
  return isChanged ? (
    <Notice tone="plain">
      You signed in to a different account in another tab
      {email !== undefined && (
        <>
          , <strong>{email}</strong>
        </>
      )}
      . This page now shows that account. Unsaved changes were discarded.
    </Notice>
  ) : null;
}
