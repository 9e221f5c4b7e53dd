// Plays a station. The sound comes from the station's own server, which is told nothing of the reader.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { Button } from "../../components/ui/Button.tsx";
import { Picture } from "../Picture.tsx";
import { factsOf } from "./StationList.tsx";
import styles from "./Stations.module.css";

type Sound = "stopped" | "loading" | "playing" | "failed";

const WORDS: Readonly<Record<Sound, string>> = {
  stopped: "Stopped.",
  loading: "Connecting …",
  playing: "Playing.",
  failed: "This station could not be played: its server does not answer, or sends what this browser cannot play. Try another one.",
};
const VOLUME_AT_FIRST = 0.6;

/** A station that is new here begins to play. */
export function Player({ station }: { readonly station: Station | undefined }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [sound, setSound] = useState<Sound>("stopped");
  const [volume, setVolume] = useState(VOLUME_AT_FIRST);
  const play = (): void => {
    const element = audio.current;
    if (element !== null && station !== undefined) {
      setSound("loading");
      element.src = station.url;
      element.volume = volume;
      // Stopping before it began rejects too, and is no failure.
      element.play().catch((error: DOMException) => setSound((now) => (error.name === "AbortError" ? now : "failed")));
    }
  };
  // A stream that is only paused would be received all the same.
  const stop = (): void => {
    audio.current?.pause();
    audio.current?.removeAttribute("src");
    audio.current?.load();
    setSound("stopped");
  };
  useEffect(play, [station]);
  useEffect(() => stop, []);
  return (
    <section class={styles.player} aria-label="Player">
      {/* biome-ignore lint/a11y/useMediaCaption: nobody writes captions for a live station. */}
      <audio
        ref={audio}
        preload="none"
        loop
        onPlaying={() => setSound("playing")}
        onWaiting={() => setSound("loading")}
        onError={() => setSound((now) => (now === "stopped" ? now : "failed"))}
      />
      {station === undefined ? (
        <p>Choose a station on the map or in the list.</p>
      ) : (
        <>
          <div class={styles.title}>
            <Picture src={station.favicon} name={station.name} size={48} />
            <span class={styles.about}>
              <span class={styles.name}>{station.name}</span>
              <span class={styles.facts}>{factsOf(station)}</span>
            </span>
          </div>
          <div class={styles.controls}>
            {sound === "playing" || sound === "loading" ? (
              <Button onClick={stop}>Stop</Button>
            ) : (
              <Button kind="primary" onClick={play}>
                Play
              </Button>
            )}
            <label class={styles.volume}>
              Volume
              <input
                type="range"
                min="0"
                max="1"
                step="0.05"
                value={volume}
                onInput={({ currentTarget }) => {
                  setVolume(currentTarget.valueAsNumber);
                  if (audio.current !== null) {
                    audio.current.volume = currentTarget.valueAsNumber;
                  }
                }}
              />
            </label>
            {/^https?:\/\//.test(station.homepage) && (
              <a href={station.homepage} rel="noreferrer noopener" target="_blank">
                Homepage
              </a>
            )}
          </div>
          <p class={sound === "failed" ? styles.failed : styles.note} role="status">
            {WORDS[sound]}
          </p>
        </>
      )}
    </section>
  );
}
