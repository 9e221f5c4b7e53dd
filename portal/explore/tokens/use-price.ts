// What a token costs while one looks: the stream of its price. It is charged when it begins and with each minute, so it runs only while the page
// is seen.
import { createClient } from "@connectrpc/connect";
import { useEffect, useState } from "preact/hooks";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { useApi } from "../../api/api.ts";

const INTERVAL_SECONDS = 5;

/** US dollars; null where the token has no price or it could not be asked for, undefined until it is known. */
export function usePrice(id: string): number | null | undefined {
  const { transport } = useApi();
  const [price, setPrice] = useState<number | null | undefined>(undefined);
  useEffect(() => {
    let ending: AbortController | undefined;
    const watch = async (signal: AbortSignal): Promise<void> => {
      const client = createClient(TokenPriceService, transport);
      try {
        for await (const { results, missing } of client.watchPrices(
          { tokens: [id], intervalSeconds: INTERVAL_SECONDS },
          { signal },
        )) {
          const [news] = results;
          if (news !== undefined || missing.length > 0) {
            setPrice(news?.price ?? null);
          }
        }
      } catch {
        // The last price stays: the chart says what is wrong.
        if (!signal.aborted) {
          setPrice((last) => last ?? null);
        }
      }
    };
    const beginOrEnd = (): void => {
      ending?.abort();
      ending = document.hidden ? undefined : new AbortController();
      if (ending !== undefined) {
        void watch(ending.signal);
      }
    };
    beginOrEnd();
    document.addEventListener("visibilitychange", beginOrEnd);
    return () => {
      document.removeEventListener("visibilitychange", beginOrEnd);
      ending?.abort();
    };
  }, [id, transport]);
  return price;
}
