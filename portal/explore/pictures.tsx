// Whether pictures from other hosts are shown. Each host that a station or a token names would learn the user's IP address and what they
// are looking at, so nothing is requested from it before the user has agreed. The choice is stored in the browser, for all of its users.
import { useEffect, useState } from "preact/hooks";

const STORAGE_KEY = "pictures";
const SHOWN = "shown";
const CHANGE_EVENT = "pictures-changed";

function areShown(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) === SHOWN;
  } catch {
    // A browser may forbid storage.
    return false;
  }
}

function show(isShown: boolean): void {
  try {
    if (isShown) {
      localStorage.setItem(STORAGE_KEY, SHOWN);
    } else {
      localStorage.removeItem(STORAGE_KEY);
    }
  } catch {
    // Then the choice cannot be remembered, and no pictures are shown.
  }
  dispatchEvent(new Event(CHANGE_EVENT));
}

/** Whether pictures are shown, now and after each change. */
export function usePicturesShown(): boolean {
  const [isShown, setShown] = useState(areShown);
  useEffect(() => {
    const update = (): void => setShown(areShown());
    const events = [CHANGE_EVENT, "storage"];
    for (const event of events) {
      addEventListener(event, update);
    }
    return () => {
      for (const event of events) {
        removeEventListener(event, update);
      }
    };
  }, []);
  return isShown;
}

/** The checkbox for the choice. `owners` is in the plural: `stations`. */
export function PictureChoice({ owners }: { readonly owners: string }) {
  const isShown = usePicturesShown();
  return (
    <label>
      <input type="checkbox" checked={isShown} onChange={({ currentTarget }) => show(currentTarget.checked)} /> Show pictures. They
      come from sites chosen by the {owners}, and loading them reveals your IP address.
    </label>
  );
}
