// A price that updates live, when it was recorded, and, if it does not update, why.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useApi } from "../api/api.ts";
import { faultOf } from "../api/reason.ts";
import { Button, ButtonLink } from "../components/ui/Button.tsx";
import { formatTime, formatUsd } from "./formats.ts";
import styles from "./LivePrice.module.css";
import { type LivePrice as Live, useLivePrice } from "./use-live-price.ts";

/** `id` is `chain:address` or `coingecko:slug`. `children` says more about a known price. */
export function LivePrice({ id, children }: { readonly id: string; readonly children?: (usd: number) => ComponentChildren }) {
  const live = useLivePrice(id);
  const { usd } = live;
  const direction = useDirection(id, usd);
  return (
    <div class={styles.live}>
      <p class={styles.price} aria-live="off" data-direction={direction}>
        {/* A new element for each price, so that its animation starts again. */}
        <span key={usd}>{usd === undefined ? "…" : usd === null ? "No price" : formatUsd(usd)}</span>
      </p>
      {typeof usd === "number" && children?.(usd)}
      <p class={styles.state}>
        <State live={live} />
      </p>
    </div>
  );
}

const State = ({ live: { state, atMs, problem, resume } }: { readonly live: Live }) => {
  const { isVisitor } = useApi();
  switch (state) {
    case "live":
      return <>Live{Number.isNaN(atMs) ? "" : `, ${formatTime(atMs)}`}</>;
    case "waiting":
      return <>{problem === undefined ? "Waiting for the price…" : `${problem.message} Retrying automatically.`}</>;
    case "paused":
      return (
        <>
          Paused, because each minute of live prices counts as a call. <Button onClick={resume}>Resume</Button>
        </>
      );
    case "ended":
      return faultOf(problem?.reason) === "subscription" && !isVisitor ? (
        <>
          Live prices come from Token prices. <ButtonLink href="/app/subscriptions">Choose a plan</ButtonLink>
        </>
      ) : isVisitor ? (
        <>Sign in to see live prices.</>
      ) : (
        problem?.message
      );
  }
};

// Whether the last change was up or down.
function useDirection(id: string, usd: number | null | undefined): "up" | "down" | undefined {
  const last = useRef<{ id: string; usd: number; direction: "up" | "down" | undefined } | undefined>(undefined);
  if (typeof usd === "number" && (last.current?.id !== id || last.current.usd !== usd)) {
    const before = last.current?.id === id ? last.current.usd : undefined;
    last.current = { id, usd, direction: before === undefined ? undefined : usd > before ? "up" : "down" };
  }
  return last.current?.id === id ? last.current.direction : undefined;
}
