// Plays a station. The sound comes from the station's own server, which is told nothing of the reader.
import { callUnaryMethod } from "@connectrpc/connect-query-core";
import { useEffect, useRef, useState } from "preact/hooks";
import { RadioService, type Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { useApi } from "../../api/api.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { ForeignText } from "../../components/foreign-text.tsx";
import { Button } from "../../components/ui/Button.tsx";
import { ForeignLink } from "../foreign-link.tsx";
import { Picture } from "../Picture.tsx";
import { factsOf } from "./StationList.tsx";
import styles from "./Stations.module.css";

type Sound = "stopped" | "connecting" | "slow" | "playing" | "failed";

const WORDS: Readonly<Record<Sound, string>> = {
  stopped: "Stopped.",
  connecting: "Connecting …",
  slow: "Still connecting. Its server is slow. Wait, or try another station.",
  playing: "Playing.",
  failed:
    "This station could not be played: its server does not respond, or sends a format that this browser cannot play. Try another one.",
};
const VOLUME_AT_FIRST = 0.6;
const SLOW_FROM_MS = 8000;

/** `isChosenNow` where the reader has just chosen the station: it begins to play. `problem` is why the one of the address is not known. */
export function Player({
  station,
  isChosenNow,
  problem,
}: {
  readonly station: Station | undefined;
  readonly isChosenNow: boolean;
  readonly problem: ApiProblem | undefined;
}) {
  const audio = useRef<HTMLAudioElement>(null);
  const [sound, setSound] = useState<Sound>("stopped");
  const [volume, setVolume] = useState(VOLUME_AT_FIRST);
  const { transport } = useApi();
  const isReported = useRef(true);
  const isUnderWay = sound === "connecting" || sound === "slow" || sound === "playing";
  const play = (): void => {
    const element = audio.current;
    if (element !== null && station !== undefined) {
      setSound("connecting");
      isReported.current = false;
      element.src = station.url;
      element.volume = volume;
      // Stopping before it began rejects too, and is no failure. A browser may also want the reader to press the button.
      element.play().catch(({ name }: DOMException) => {
        setSound((now) => (name === "AbortError" ? now : name === "NotAllowedError" ? "stopped" : "failed"));
      });
    }
  };
  const began = (): void => {
    setSound("playing");
    if (!isReported.current && station !== undefined) {
      isReported.current = true;
      // The directory ranks stations by what is heard. Whether it can be told changes nothing for the listener.
      callUnaryMethod(transport, RadioService.method.reportPlay, { uuid: station.uuid }).catch(() => {});
    }
  };
  // A stream that is only paused would be received all the same.
  const stop = (): void => {
    audio.current?.pause();
    audio.current?.removeAttribute("src");
    audio.current?.load();
    setSound("stopped");
  };
  useEffect(() => {
    if (isChosenNow) {
      play();
    }
  }, [station]);
  useEffect(() => stop, []);
  useEffect(() => {
    if (sound === "connecting") {
      const timer = setTimeout(() => setSound("slow"), SLOW_FROM_MS);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [sound]);
  return (
    <section class={styles.player} aria-label="Player">
      {/* biome-ignore lint/a11y/useMediaCaption: nobody writes captions for a live station. */}
      <audio
        ref={audio}
        preload="none"
        loop
        onPlaying={began}
        onWaiting={() => setSound("connecting")}
        // Keyboards and headphones have keys that pause.
        onPause={({ currentTarget }) => currentTarget.error === null && sound === "playing" && stop()}
        onError={() => setSound((now) => (now === "stopped" ? now : "failed"))}
      />
      {station === undefined ? (
        <p>
          {problem === undefined || problem.isSessionLost
            ? "Choose a station on the map or in the list."
            : `${problem.message} Choose another station on the map or in the list.`}
        </p>
      ) : (
        <>
          <div class={styles.title}>
            <Picture src={station.favicon} name={station.name} size={48} />
            <span class={styles.about}>
              <span class={styles.name}>
                <ForeignText text={station.name} />
              </span>
              <span class={styles.facts}>
                <ForeignText text={factsOf(station)} />
              </span>
            </span>
          </div>
          <div class={styles.controls}>
            {isUnderWay ? (
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
            <ForeignLink href={station.homepage}>Homepage</ForeignLink>
          </div>
          <p class={sound === "failed" ? styles.failed : styles.note} role="status">
            {WORDS[sound]} {sound === "failed" && <ForeignLink href={station.url}>Open its stream</ForeignLink>}
          </p>
        </>
      )}
    </section>
  );
}
