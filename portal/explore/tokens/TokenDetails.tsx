// One token: what it is, its price now and in the past, and the other chains it is on.
import { TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { faultOf } from "../../api/reason.ts";
import { useQuery } from "../../api/use-query.ts";
import { ForeignText } from "../../components/foreign-text.tsx";
import { Button } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { formatWhole } from "../formats.ts";
import { LivePrice } from "../LivePrice.tsx";
import { Picture } from "../Picture.tsx";
import type { UrlState } from "../url-state.ts";
import { Bridges } from "./Bridges.tsx";
import { PriceChart } from "./PriceChart.tsx";
import styles from "./Tokens.module.css";

/** Lists change every few hours. */
const FRESH = { staleTime: 600_000 };

/** `chain` is a name or an id. */
export function TokenDetails({
  chain,
  address,
  url,
}: {
  readonly chain: string;
  readonly address: string;
  readonly url: UrlState;
}) {
  const token = useQuery(TokenListService.method.getToken, { chain, address }, FRESH);
  const lists = useQuery(TokenListService.method.listLists, {}, FRESH);
  const titleOf = (name: string): string => lists.data?.results.find((one) => one.name === name)?.title ?? name;
  // The URL names a token that is not on any list, or something that is not a token.
  if (faultOf(token.problem?.reason) === "input") {
    return (
      <EmptyState title="No list includes this token">
        <p>{token.problem?.message}</p>
        <Button onClick={() => url.set({ token: undefined })}>Show the first match</Button>
      </EmptyState>
    );
  }
  return (
    <section aria-label="Token">
      <Loaded query={token} rem={9}>
        {({ name, symbol, decimals, logo, lists: naming, conflicts, chain: chainName }) => (
          <>
            <div class={styles.heading}>
              <Picture src={logo} name={symbol} size={56} />
              <div class={styles.titles}>
                <h2>
                  <ForeignText text={name} />{" "}
                  <span class={styles.symbol}>
                    <ForeignText text={symbol} />
                  </span>
                </h2>
                <p>
                  on {chainName}, {formatWhole(decimals)} decimals
                </p>
              </div>
              <LivePrice id={`${chain}:${address}`} />
            </div>
            <p class={styles.address}>
              <code>{address}</code>
            </p>
            <p>
              On {naming.length === 1 ? "one list" : `${formatWhole(naming.length)} lists`}: {naming.map(titleOf).join(", ")}.
            </p>
            {conflicts.map((conflict) => (
              <p key={conflict.list} class={styles.conflict}>
                {titleOf(conflict.list)} says that the token has {formatWhole(conflict.decimals)} decimals.
              </p>
            ))}
          </>
        )}
      </Loaded>
      <h3>Price</h3>
      <PriceChart id={`${chain}:${address}`} url={url} />
      <h3>On other chains</h3>
      <Bridges chain={chain} address={address} url={url} />
    </section>
  );
}
