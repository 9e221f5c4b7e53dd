// Sends the user to another provider to sign in. What they come back with is worth something only in this tab, which keeps the ticket.
import { SignInService } from "../../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { identityProviders } from "../../server-facts.ts";

const TICKET = "provider-sign-in";

/** A sign-in that has been begun in this tab. */
export interface BegunSignIn {
  readonly provider: string;
  readonly ticket: string;
  /** Where to go on to. */
  readonly next: string;
}

/** The sign-in that was begun in this tab, which is thereby forgotten. */
export function takeBegunSignIn(): BegunSignIn | undefined {
  try {
    const kept = sessionStorage.getItem(TICKET);
    sessionStorage.removeItem(TICKET);
    return kept === null ? undefined : JSON.parse(kept);
  } catch {
    return undefined;
  }
}

/** A button for each provider; none if the server has none. */
export function ProviderButtons({ next }: { readonly next: string }) {
  const { mutate, isPending, problem } = useMutation(SignInService.method.beginProviderSignIn);
  const begin = async (provider: string): Promise<void> => {
    const begun = await mutate({ provider });
    if (begun !== undefined) {
      sessionStorage.setItem(TICKET, JSON.stringify({ provider, ticket: begun.ticket, next }));
      location.assign(begun.url);
    }
  };
  return (
    <>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      {identityProviders().map(([name, title]) => (
        <p key={name}>
          <Button isBusy={isPending} onClick={() => void begin(name)}>
            Continue with {title}
          </Button>
        </p>
      ))}
    </>
  );
}
