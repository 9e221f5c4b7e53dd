// A QR code, drawn as one path.
import { encodeQR } from "qr";
import styles from "./QrCode.module.css";

// The blank border that scanners need around the code, in modules. https://www.qrcode.com/en/howto/code.html
const QUIET_ZONE = 4;

/** `text` is what the code contains. `label` tells a screen reader what the code is. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: QUIET_ZONE });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      class={styles.code}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
