// The bridges of a token as a graph: the token in the middle, around it the tokens that are one bridge away, and so on outwards.
import type { BridgedToken, GetBridgesResponse } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { safeText } from "../../components/foreign-text.tsx";
import { formatCount } from "../formats.ts";
import styles from "./Tokens.module.css";

const WIDTH = 420;
const HEIGHT = 340;
/** More would overlap; the list has them. */
const NODES_MAX = 16;
const FULL_TURN = Math.PI * 2;

interface Node {
  readonly key: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

const keyOf = (chainId: bigint, address: string): string => `${chainId} ${address}`;

/** The list next to it says the same. */
export function BridgeGraph({ bridges }: { readonly bridges: GetBridgesResponse }) {
  const shown = bridges.results.slice(0, NODES_MAX);
  const root: Node = { key: keyOf(bridges.chainId, bridges.address), label: bridges.chain, x: WIDTH / 2, y: HEIGHT / 2 };
  const nodes = new Map([root, ...placed(shown)].map((node) => [node.key, node]));
  const lines = shown.flatMap((token) =>
    token.links.flatMap(({ viaChainId, viaAddress }) => {
      const from = nodes.get(keyOf(viaChainId, viaAddress));
      const to = nodes.get(keyOf(token.chainId, token.address));
      return from === undefined || to === undefined ? [] : [{ key: `${from.key} ${to.key}`, from, to }];
    }),
  );
  return (
    <svg
      class={styles.graph}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`Bridges to ${formatCount(shown.length, "token")}`}
    >
      {[...new Map(lines.map((line) => [line.key, line])).values()].map(({ key, from, to }) => (
        <line key={key} class={styles.edge} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      ))}
      {[...nodes.values()].map(({ key, label, x, y }) => (
        <g key={key}>
          <circle class={key === root.key ? styles.root : styles.node} cx={x} cy={y} r={key === root.key ? 13 : 9} />
          <text class={styles.label} x={x} y={y < HEIGHT / 2 - 20 ? y - 16 : y + (key === root.key ? 31 : 26)} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}

function placed(tokens: readonly BridgedToken[]): readonly Node[] {
  const rings = Math.max(1, ...tokens.map(({ hops }) => hops));
  return tokens.map((token, index) => {
    const ring = token.hops / rings;
    const angle = FULL_TURN * (index / tokens.length - 0.25);
    return {
      key: keyOf(token.chainId, token.address),
      label: `${safeText(token.symbol ?? "")} ${token.chain}`.trim(),
      x: WIDTH / 2 + Math.cos(angle) * ring * (WIDTH / 2 - 62),
      y: HEIGHT / 2 + Math.sin(angle) * ring * (HEIGHT / 2 - 44),
    };
  });
}
