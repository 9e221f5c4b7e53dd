// What all pages for operators have: a heading, and a plain message for anybody who is not an operator.
import type { ComponentChildren } from "preact";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";

/** The page. `children` are shown only to operators; for anybody else, nothing is requested. */
export function OperatorPage({ title, children }: { readonly title: string; readonly children: () => ComponentChildren }) {
  const account = useQuery(AccountService.method.getAccount, {});
  return (
    <Loaded query={account} rem={30}>
      {({ account: own }) =>
        own?.operator === true ? (
          <>
            <Heading title={title} />
            {children()}
          </>
        ) : (
          <>
            <Heading title="For operators" />
            <Notice tone="plain">Only operators of this server can see this page.</Notice>
          </>
        )
      }
    </Loaded>
  );
}
