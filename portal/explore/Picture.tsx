// A small picture from another host. It is loaded once the reader has asked for pictures; its host is not told which
// page it is for. It can run nothing, and is left out if it does not come.
import { useState } from "preact/hooks";
import { foreignUrl } from "./foreign-link.tsx";
import styles from "./Picture.module.css";
import { usePicturesShown } from "./pictures.tsx";

/** `name` gives the letter that stands in for it. */
export function Picture({ src, name, size }: { readonly src: string | undefined; readonly name: string; readonly size: number }) {
  const [failed, setFailed] = useState<string | undefined>(undefined);
  const areShown = usePicturesShown();
  const isShown = areShown && src !== undefined && src !== failed && foreignUrl(src) !== undefined;
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
