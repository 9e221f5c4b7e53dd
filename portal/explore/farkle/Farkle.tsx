// Farkle: up to six dice, chosen or rolled. The API scores them; nothing is scored here. The dice are in the URL.
import { Combination, FarkleService, type ScoredCombination } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Problem } from "../../components/ui/Problem.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { formatWhole } from "../formats.ts";
import { useUrlState } from "../url-state.ts";
import { Die } from "./Die.tsx";
import styles from "./Farkle.module.css";

const FACES = [1, 2, 3, 4, 5, 6];
const DICE_MAX = 6;
const INITIAL_DICE = [1, 1, 1, 5, 2, 3];

const LABELS: Readonly<Record<Combination, string>> = {
  [Combination.UNSPECIFIED]: "Combination",
  [Combination.SINGLE_ONE]: "Single one",
  [Combination.SINGLE_FIVE]: "Single five",
  [Combination.THREE_OF_A_KIND]: "Three of a kind",
  [Combination.FOUR_OF_A_KIND]: "Four of a kind",
  [Combination.FIVE_OF_A_KIND]: "Five of a kind",
  [Combination.SIX_OF_A_KIND]: "Six of a kind",
  [Combination.STRAIGHT]: "Straight",
  [Combination.THREE_PAIRS]: "Three pairs",
  [Combination.TWO_TRIPLETS]: "Two triplets",
};

const diceOf = (text: string | undefined): readonly number[] =>
  text === undefined ? INITIAL_DICE : (text.match(/[1-6]/g) ?? []).slice(0, DICE_MAX).map(Number);

export function Farkle() {
  const url = useUrlState();
  const dice = diceOf(url.get("dice"));
  const put = (next: readonly number[]): void => url.set({ dice: next.length === 0 ? "none" : next.join(",") });
  // The same dice always score the same.
  const score = useQuery(FarkleService.method.score, { dice: [...dice] }, { enabled: dice.length > 0, staleTime: Infinity });
  return (
    <div class={styles.columns}>
      <section aria-label="Dice">
        <h2>Your dice</h2>
        <div class={styles.tray}>
          {dice.map((face, index) => (
            <button
              key={index}
              type="button"
              class={styles.die}
              aria-label={`Remove the ${face}`}
              onClick={() => put(dice.filter((_, at) => at !== index))}
            >
              <Die face={face} />
            </button>
          ))}
          {Array.from({ length: DICE_MAX - dice.length }, (_, index) => (
            <span key={index} class={styles.hole} />
          ))}
        </div>
        <p class={styles.actions}>
          <Button kind="primary" onClick={() => put(rolled(dice.length === 0 ? DICE_MAX : dice.length))}>
            Roll {dice.length === 0 ? DICE_MAX : dice.length} {dice.length === 1 ? "die" : "dice"}
          </Button>
          <Button onClick={() => put([])}>Clear</Button>
        </p>
        <h2>Add a die</h2>
        <div class={styles.faces}>
          {FACES.map((face) => (
            <button
              key={face}
              type="button"
              class={styles.die}
              aria-label={`Add a ${face}`}
              aria-disabled={dice.length === DICE_MAX || undefined}
              onClick={() => dice.length < DICE_MAX && put([...dice, face])}
            >
              <Die face={face} />
            </button>
          ))}
        </div>
      </section>
      <section aria-label="Score" class={styles.score} aria-live="polite" aria-busy={score.isFetching}>
        <Problem problem={score.problem} isBusy={score.isFetching} onRetry={score.refetch} />
        {dice.length === 0 ? (
          <p>Add a die or roll to see the score.</p>
        ) : score.data === undefined ? (
          score.problem === undefined && <Skeleton rem={12} />
        ) : (
          <>
            <p class={styles.points}>
              <b>{formatWhole(score.data.score)}</b> points
            </p>
            {score.data.farkle && <p class={styles.bad}>Farkle: nothing scores, and the turn is lost.</p>}
            {score.data.hotDice && <p class={styles.good}>Hot dice: every die scores, and you may roll all of them again.</p>}
            <Breakdown rows={score.data.breakdown} />
            {score.data.deadDice.length > 0 && (
              <p class={styles.dead}>
                Not scoring: <Dice faces={score.data.deadDice} />
              </p>
            )}
          </>
        )}
      </section>
    </div>
  );
}

const Breakdown = ({ rows }: { readonly rows: readonly ScoredCombination[] }) => (
  <ul class={styles.breakdown}>
    {rows.map(({ combination, dice, points }, index) => (
      <li key={index}>
        <Dice faces={dice} />
        <span>{LABELS[combination]}</span>
        <b>{formatWhole(points)}</b>
      </li>
    ))}
  </ul>
);

const Dice = ({ faces }: { readonly faces: readonly number[] }) => (
  <span class={styles.small} role="img" aria-label={faces.join(", ")}>
    {faces.map((face, index) => (
      <Die key={index} face={face} />
    ))}
  </span>
);

// No power of two is a multiple of six, so numbers that would favour some faces are discarded.
function rolled(count: number): readonly number[] {
  const faces: number[] = [];
  while (faces.length < count) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < 252) {
      faces.push((byte % FACES.length) + 1);
    }
  }
  return faces;
}
