// The start of every Explore page: with a session it shows the page, without one a way to sign in.
import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiProvider, createApi } from "../api/api.ts";
import { accountChanged, followOtherTabs } from "../api/leave-account.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { AccountChanged } from "../components/ui/AccountChanged.tsx";
import { withConsoleKey } from "./explore-api.ts";
import { SignInPanel } from "./SignInPanel.tsx";

/** Shows it in this document. */
export function startExplore(Page: ComponentType): void {
  const place = document.querySelector("#explore");
  if (place !== null) {
    place.replaceChildren();
    render(<Explore Page={Page} />, place);
  }
}

function Explore({ Page }: { readonly Page: ComponentType }) {
  const [isSignedOut, setSignedOut] = useState(false);
  const [api] = useState(() =>
    createApi({
      onProblem({ isSessionLost, reason }) {
        if (reason === "ACCOUNT_MISMATCH") {
          accountChanged();
        } else if (isSessionLost) {
          setSignedOut(true);
        }
      },
      interceptors: [withConsoleKey(consoleKeys)],
    }),
  );
  useEffect(() => {
    followOtherTabs(() => {
      void consoleKeys.forget();
      setSignedOut(true);
    });
  }, []);
  return isSignedOut ? (
    <SignInPanel />
  ) : (
    <ApiProvider value={api}>
      <AccountChanged />
      <Page />
    </ApiProvider>
  );
}
