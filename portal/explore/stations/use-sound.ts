// Plays the chosen station, and says whether it is playing and what the user can do.
import { callUnaryMethod } from "@connectrpc/connect-query-core";
import type { RefObject, TargetedEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { RadioService, type Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { useApi } from "../../api/api.ts";

export type Sound = "stopped" | "connecting" | "slow" | "playing" | "failed";

const INITIAL_VOLUME = 0.6;
const SLOW_FROM_MS = 8000;

/** The sound, and the functions that start and stop it. */
export interface SoundState {
  /** For the audio element, which also gets the handlers in `events`. */
  readonly audio: RefObject<HTMLAudioElement | null>;
  readonly events: object;
  readonly sound: Sound;
  /** Whether it is playing or connecting. */
  readonly isOngoing: boolean;
  readonly play: () => void;
  readonly stop: () => void;
  /** From 0 to 1. */
  readonly volume: number;
  readonly setVolume: (volume: number) => void;
}

/** With `isChosenNow` the user has just chosen the station, which begins to play. */
export function useSound(station: Station | undefined, isChosenNow: boolean): SoundState {
  const audio = useRef<HTMLAudioElement>(null);
  const [sound, setSound] = useState<Sound>("stopped");
  const [volume, setKnownVolume] = useState(INITIAL_VOLUME);
  const { transport, isVisitor } = useApi();
  const isReported = useRef(true);
  const isOngoing = sound === "connecting" || sound === "slow" || sound === "playing";
  const play = (): void => {
    const element = audio.current;
    if (element !== null && station !== undefined) {
      setSound("connecting");
      isReported.current = false;
      element.src = station.url;
      element.volume = volume;
      // Stopping before it started also rejects, but is not a failure. A browser may also require that the user presses the button.
      element.play().catch(({ name }: DOMException) => {
        setSound((now) => (name === "AbortError" ? now : name === "NotAllowedError" ? "stopped" : "failed"));
      });
    }
  };
  const started = (): void => {
    setSound("playing");
    if (!isReported.current && station !== undefined) {
      isReported.current = true;
      if (isVisitor) {
        // The public key may only read.
        return;
      }
      // The directory ranks stations by how often they are played. If the report fails, nothing changes for the listener.
      callUnaryMethod(transport, RadioService.method.reportPlay, { uuid: station.uuid }).catch(() => {});
    }
  };
  // A stream that is only paused would still be received.
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
  return {
    audio,
    sound,
    isOngoing,
    play,
    stop,
    volume,
    setVolume(next) {
      setKnownVolume(next);
      if (audio.current !== null) {
        audio.current.volume = next;
      }
    },
    events: {
      onPlaying: started,
      onWaiting: () => setSound("connecting"),
      // Keyboards and headphones have keys that pause.
      onPause: ({ currentTarget }: TargetedEvent<HTMLAudioElement>) =>
        currentTarget.error === null && sound === "playing" && stop(),
      onError: () => setSound((now) => (now === "stopped" ? now : "failed")),
    },
  };
}
