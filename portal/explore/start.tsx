// The start of every Explore page. It uses the session's key. Without a session it uses the public key if the operator has set one;
// otherwise it shows the sign-in panel.
import { type ComponentChildren, type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Api, ApiProvider, createApi } from "../api/api.ts";
import { accountChanged, followOtherTabs } from "../api/leave-account.ts";
import { isMarkedMember } from "../api/member-mark.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { readPublicKey } from "../api/public-key.ts";
import { faultOf } from "../api/reason.ts";
import { AccountChanged } from "../components/ui/AccountChanged.tsx";
import { withConsoleKey, withPublicKey } from "./explore-api.ts";
import { PageBar } from "./PageBar.tsx";
import { PastCalls, recordCalls } from "./past-calls.ts";
import { SignInPanel } from "./SignInPanel.tsx";

/** Renders the page into this document. */
export function startExplore(Page: ComponentType): void {
  const place = document.querySelector("#explore");
  if (place !== null) {
    place.replaceChildren();
    render(<Explore Page={Page} />, place);
  }
}

function Explore({ Page }: { readonly Page: ComponentType }) {
  const [publicKey] = useState(readPublicKey);
  const [calls] = useState(() => new PastCalls());
  const [hasSession, setSession] = useState(() => publicKey === undefined || isMarkedMember());
  // A member keeps the public key until their own plan answers.
  const [isUnsubscribed, setUnsubscribed] = useState(false);
  useEffect(() => {
    followOtherTabs(() => {
      void consoleKeys.forget();
      setSession(false);
    });
  }, []);
  if (hasSession && !isUnsubscribed) {
    const create = (): Api =>
      sessionApi(
        calls,
        () => setSession(false),
        () => setUnsubscribed(publicKey !== undefined),
      );
    return (
      <WithApi key="session" create={create}>
        <AccountChanged />
        <PageBar calls={calls} publicKey={undefined} isMember />
        <Page />
      </WithApi>
    );
  }
  return publicKey === undefined ? (
    <SignInPanel />
  ) : (
    <WithApi key="public" create={() => visitorApi(calls, publicKey.secret)}>
      <PageBar calls={calls} publicKey={publicKey} isMember={hasSession} />
      <Page />
    </WithApi>
  );
}

function WithApi({ create, children }: { readonly create: () => Api; readonly children: ComponentChildren }) {
  const [api] = useState(create);
  return <ApiProvider value={api}>{children}</ApiProvider>;
}

const sessionApi = (calls: PastCalls, onSessionLost: () => void, onUnsubscribed: () => void): Api =>
  createApi({
    onProblem({ isSessionLost, reason }) {
      if (faultOf(reason) === "account") {
        accountChanged();
      } else if (isSessionLost) {
        onSessionLost();
      } else if (faultOf(reason) === "subscription") {
        onUnsubscribed();
      }
    },
    interceptors: [recordCalls(calls), withConsoleKey(consoleKeys)],
  });

// Each part of the page shows its own problems.
const visitorApi = (calls: PastCalls, secret: string): Api =>
  createApi({ onProblem() {}, interceptors: [recordCalls(calls), withPublicKey(secret)], isVisitor: true });
