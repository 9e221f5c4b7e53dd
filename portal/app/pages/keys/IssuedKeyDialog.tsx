// Shows a new key, once: the key itself, and a first call with it, whose code is loaded with the first key.
import { useEffect, useState } from "preact/hooks";
import { AccountService, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";
import type { Key } from "../../../../gen/quintet/account/v1/key_pb.js";
import type { ServiceName } from "../../../../src/catalogue/service-names.ts";
import { useQuery } from "../../../api/use-query.ts";
import { CopyBlock } from "../../../components/ui/CopyBlock.tsx";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Skeleton } from "../../../components/ui/Skeleton.tsx";
import { DateTime } from "../../../components/ui/Time.tsx";
import { useLoaded } from "../../../components/ui/use-loaded.ts";
import { CloseButton } from "../../DialogButtons.tsx";
import { serviceToTry } from "../../first-call.ts";
import { serviceTitle } from "../../formats.ts";
import { keepPage } from "../../keep-page.ts";

const loadFirstCall = async () => (await import("./FirstCall.tsx")).FirstCall;

/** A key that the server has just created. */
export interface IssuedKey {
  readonly key: Key;
  readonly secret: string;
  /** The key that the new one replaces. */
  readonly old?: Key | undefined;
}

/** The dialog. Only its button closes it, because the key cannot be shown again; going back is prevented. */
export function IssuedKeyDialog({
  issued,
  service: chosen,
  onClose,
}: {
  readonly issued: IssuedKey;
  /** The service to try; by default one that the key may call. */
  readonly service?: ServiceName | undefined;
  readonly onClose: () => void;
}) {
  const { key, secret, old } = issued;
  const subscriptions = useQuery(AccountService.method.listSubscriptions, {});
  const FirstCall = useLoaded(loadFirstCall, true);
  const [wasLeaving, setLeaving] = useState(false);
  useEffect(() => keepPage(() => setLeaving(true)), []);
  return (
    <Dialog title={`Your new key: ${key.name}`} isPersistent onClose={onClose}>
      <p>Save it now, somewhere only you can read it. We do not keep it and cannot show it again.</p>
      <CopyBlock code={secret} label="the key" />
      {wasLeaving && (
        <Notice tone="bad">Going back now would lose this key for good. Save it first, then press “I have saved it”.</Notice>
      )}
      {old?.expiresAt !== undefined && (
        <p>
          The old key, ending in <code>{old.lastFour}</code>, works until <DateTime at={old.expiresAt} />.
        </p>
      )}
      <Loaded query={subscriptions} rem={14}>
        {({ results }) => {
          const subscribed = results.filter(({ state }) => state === SubscriptionState.ACTIVE).map(({ service }) => service);
          const service = chosen ?? serviceToTry(key.services, subscribed);
          return (
            <>
              {FirstCall === undefined ? <Skeleton rem={14} /> : <FirstCall apiKey={key} secret={secret} service={service} />}
              {!subscribed.includes(service) && <NotSubscribed service={service} />}
            </>
          );
        }}
      </Loaded>
      <CloseButton label="I have saved it" onClose={onClose} />
    </Dialog>
  );
}

const NotSubscribed = ({ service }: { readonly service: ServiceName }) => (
  <Notice tone="plain">
    You have no active subscription to {serviceTitle(service)} yet, so this call is refused until you{" "}
    <a href="/app/subscriptions" target="_blank" rel="noreferrer">
      subscribe
    </a>
    .
  </Notice>
);
