// Where a token is on other chains: as a graph, and as a list with links.
import { type BridgedToken, BridgeKind, TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { safeText } from "../../components/foreign-text.tsx";
import { Button } from "../../components/ui/Button.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import type { UrlState } from "../url-state.ts";
import { BridgeGraph } from "./BridgeGraph.tsx";
import styles from "./Tokens.module.css";

const LINK_TEXTS: Readonly<Record<BridgeKind, string>> = {
  [BridgeKind.UNSPECIFIED]: "listed by",
  [BridgeKind.BRIDGE_INFO]: "bridged, says the list of",
  [BridgeKind.OP_TOKEN_ID]: "the same token, says the list of",
  [BridgeKind.L1_ADDRESS]: "Ethereum address from the list of",
};

/** Lists change every few hours. */
const FRESH = { staleTime: 600_000 };

/** `chain` is a name or an id. */
export function Bridges({ chain, address, url }: { readonly chain: string; readonly address: string; readonly url: UrlState }) {
  const bridges = useQuery(TokenListService.method.getBridges, { chain, address }, FRESH);
  return (
    <Loaded query={bridges} rem={20}>
      {(data) =>
        data.results.length === 0 ? (
          <p class={styles.note}>No list includes this token on another chain.</p>
        ) : (
          <div class={styles.bridges}>
            <BridgeGraph bridges={data} />
            <ul class={styles.bridged}>
              {data.results.map((token) => (
                <li key={`${token.chainId} ${token.address}`}>
                  <Button
                    label={`Show ${symbolOf(token)} on ${token.chain}`}
                    onClick={() => url.set({ token: `${token.chain}:${token.address}` })}
                  >
                    <bdi>{symbolOf(token)}</bdi> on {token.chain}
                  </Button>
                  <span>{waysOf(token)}</span>
                </li>
              ))}
            </ul>
          </div>
        )
      }
    </Loaded>
  );
}

const symbolOf = ({ symbol = "?" }: BridgedToken): string => safeText(symbol);

const waysOf = ({ hops, links }: BridgedToken): string => {
  const ways = [...new Set(links.map(({ list, kind }) => `${LINK_TEXTS[kind]} ${list}`))].join(", ");
  return hops > 1 ? `${ways}; ${hops} bridges away` : ways;
};
