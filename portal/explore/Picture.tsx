// A small picture from another host. It is told nothing of the reader, can run nothing, and is left out where it does not come.
import { useState } from "preact/hooks";
import styles from "./Picture.module.css";

/** `name` gives the letter that stands in for it. */
export function Picture({ src, name, size }: { readonly src: string | undefined; readonly name: string; readonly size: number }) {
  const [failed, setFailed] = useState<string | undefined>(undefined);
  const isShown = src !== undefined && src !== failed;
  return (
    <span class={styles.picture} style={{ width: `${size}px`, height: `${size}px`, fontSize: `${size / 2}px` }}>
      {isShown ? (
        <img
          src={src}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={() => setFailed(src)}
        />
      ) : (
        <span aria-hidden="true">{(name.match(/[\p{L}\p{N}]/u)?.[0] ?? "·").toUpperCase()}</span>
      )}
    </span>
  );
}
