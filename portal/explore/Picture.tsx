// A small picture from another host. It is loaded only after the user has asked for pictures; its host does not learn which page it is for.
// It cannot run anything, and is left out if it does not load.
import { useState } from "preact/hooks";
import { foreignUrl } from "./foreign-link.tsx";
import styles from "./Picture.module.css";
import { usePicturesShown } from "./pictures.tsx";

/** Until it is loaded, the first letter of `name` is shown. */
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
