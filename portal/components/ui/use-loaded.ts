// Loads parts that few users need, once they are needed.
import { useEffect, useState } from "preact/hooks";

/**
 * What `load` resolves to; undefined before `isNeeded` was true, and while it loads. After an update of the server its file may no longer
 * exist; then it stays undefined until the page is loaded again.
 */
export function useLoaded<Part>(load: () => Promise<Part>, isNeeded: boolean): Part | undefined {
  const [loaded, setLoaded] = useState<{ readonly part: Part }>();
  useEffect(() => {
    if (isNeeded) {
      load().then(
        (part) => setLoaded({ part }),
        () => {
          // The rest of the page works without it.
        },
      );
    }
  }, [load, isNeeded]);
  return loaded?.part;
}
