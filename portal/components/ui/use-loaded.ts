// Loads parts that few users need, once they are needed.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * The component that `load` resolves to; undefined before `isNeeded` was true, and while it loads. After an update of the server its file
 * may no longer exist; then it stays undefined until the page is loaded again.
 */
export function useLoaded<Props>(load: () => Promise<ComponentType<Props>>, isNeeded: boolean): ComponentType<Props> | undefined {
  const [loaded, setLoaded] = useState<{ readonly Component: ComponentType<Props> }>();
  useEffect(() => {
    if (isNeeded) {
      load().then(
        (Component) => setLoaded({ Component }),
        () => {
          // The rest of the page works without it.
        },
      );
    }
  }, [load, isNeeded]);
  return loaded?.Component;
}
