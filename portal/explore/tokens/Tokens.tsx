// Tokens: a search, and for the chosen token its price, the lists that name it, and its bridges. Search, token and span are in the URL.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Token, TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { faultOf } from "../../api/reason.ts";
import { useQuery } from "../../api/use-query.ts";
import { ForeignText } from "../../components/foreign-text.tsx";
import { Button } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Field } from "../../components/ui/Field.tsx";
import { Problem } from "../../components/ui/Problem.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { formatWhole } from "../formats.ts";
import { Picture } from "../Picture.tsx";
import { PictureChoice } from "../pictures.tsx";
import { type UrlState, useUrlState } from "../url-state.ts";
import { TokenDetails } from "./TokenDetails.tsx";
import styles from "./Tokens.module.css";

const PAUSE_MS = 350;
const QUERY_MAX = 64;
const RESULTS_MAX = 12;
const FIRST_QUERY = "eth";
/** Lists change every few hours. */
const FRESH_MS = 600_000;
/** While the user types, the previous results stay. */
const KEEP_PREVIOUS = { staleTime: FRESH_MS, keepsPrevious: true } as const;
const SUGGESTIONS = ["USDC", "WETH", "UNI", "LINK"];

export function Tokens() {
  const url = useUrlState();
  const query = (url.get("q") ?? FIRST_QUERY).slice(0, QUERY_MAX);
  const found = useQuery(TokenListService.method.searchTokens, { query, limit: RESULTS_MAX }, KEEP_PREVIOUS);
  const results = found.data?.results;
  const [, chain = "", address = ""] = /^([^:]+):(.+)$/.exec(url.get("token") ?? "") ?? [];
  const first = results?.[0];
  // A token named in the URL is requested only after the search, so that a refusal is shown only once.
  const isSearched = results !== undefined || found.problem !== undefined;
  const chosen = address === "" ? first : isSearched ? { chain, address } : undefined;
  if (faultOf(found.problem?.reason) === "subscription") {
    return <Problem problem={found.problem} onRetry={found.refetch} />;
  }
  return (
    <div class={styles.columns}>
      <section aria-label="Search">
        <Search url={url} query={query} />
        <p class={styles.note}>
          <PictureChoice owners="token lists" />
        </p>
        <Problem problem={found.problem} isBusy={found.isFetching} onRetry={found.refetch} />
        {(results === undefined || (found.isPrevious && results.length === 0)) && found.problem === undefined && (
          <Skeleton rem={36} />
        )}
        {results?.length === 0 && !found.isPrevious && (
          <EmptyState title="No tokens found">
            <p>Search by name, symbol or address.</p>
            {SUGGESTIONS.map((one) => (
              <Button key={one} onClick={() => url.set({ q: one, token: undefined })}>
                {one}
              </Button>
            ))}
          </EmptyState>
        )}
        <ul class={styles.results} aria-busy={found.isPrevious}>
          {results?.map((token) => (
            <li key={idOf(token)}>
              <Result
                token={token}
                isChosen={chosen !== undefined && idOf(token) === idOf(chosen)}
                onChoose={() => url.set({ token: idOf(token) })}
              />
            </li>
          ))}
        </ul>
        {found.data?.nextOffset !== undefined && !found.isPrevious && (
          <p class={styles.note}>{formatWhole(found.data.total)} tokens match. Type more to narrow the results.</p>
        )}
      </section>
      {chosen !== undefined && <TokenDetails key={idOf(chosen)} chain={chosen.chain} address={chosen.address} url={url} />}
    </div>
  );
}

const idOf = ({ chain, address }: Pick<Token, "chain" | "address">): string => `${chain}:${address}`;

function Search({ url, query }: { readonly url: UrlState; readonly query: string }) {
  const [text, setText] = useState(query);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setText(query), [query]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <search>
      <Field
        label="Name, symbol or address"
        name="q"
        type="search"
        value={text}
        maxLength={QUERY_MAX}
        autocomplete="off"
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            if (value.trim() !== "") {
              url.set({ q: value.trim(), token: undefined }, "typing");
            }
          }, PAUSE_MS);
        }}
      />
    </search>
  );
}

const Result = ({
  token,
  isChosen,
  onChoose,
}: {
  readonly token: Token;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) => (
  <button type="button" class={styles.result} aria-pressed={isChosen} onClick={onChoose}>
    <Picture src={token.logo} name={token.symbol} size={32} />
    <span class={styles.names}>
      <b>
        <ForeignText text={token.symbol} />
      </b>
      <ForeignText text={token.name} />
    </span>
    <span class={styles.chain}>{token.chain}</span>
  </button>
);
