// A part of a page that most visits do not show: its code is loaded when the part is first shown, or is likely to be shown.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./Button.tsx";
import { Notice } from "./Notice.tsx";
import { Skeleton } from "./Skeleton.tsx";

/** A component that may be loaded before it is rendered. */
export interface LaterComponent<Props> {
  (props: Props & JSX.IntrinsicAttributes): JSX.Element;
  readonly preload: () => void;
}

/** The component that `load` resolves to. While it is loading, a placeholder of the height `rem` is in its place. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>, rem: number): LaterComponent<Props> {
  let component: ComponentType<Props> | undefined;
  let loading: Promise<boolean> | undefined;
  const start = (): Promise<boolean> => {
    loading ??= load().then(
      (loaded) => {
        component = loaded;
        return true;
      },
      () => {
        loading = undefined;
        return false;
      },
    );
    return loading;
  };

  function Later(props: Props & JSX.IntrinsicAttributes): JSX.Element {
    // Undefined while it is loading.
    const [isLoaded, setLoaded] = useState<boolean | undefined>(component === undefined ? undefined : true);
    useEffect(() => {
      if (isLoaded !== undefined) {
        return;
      }
      let isGone = false;
      void start().then((succeeded) => {
        if (!isGone) {
          setLoaded(succeeded);
        }
      });
      return () => {
        isGone = true;
      };
    }, [isLoaded]);
    if (isLoaded === false) {
      return (
        <Notice tone="bad">
          <p>This part of the page could not be loaded.</p>
          <Button onClick={() => setLoaded(undefined)}>Try again</Button>
        </Notice>
      );
    }
    const Loaded = component;
    return Loaded === undefined ? <Skeleton rem={rem} /> : <Loaded {...props} />;
  }
  return Object.assign(Later, { preload: () => void start() });
}
