// A few bars of music for a station of the sandbox, computed from its name: chords, a melody and a drum, as WAV that loops without
// a gap. Pure.
import { numberOf } from "../market/assets.ts";
import { seeded } from "../seeded.ts";

const SAMPLE_RATE = 16_000;
const BEATS = 16;
const BEATS_PER_BAR = 4;
const HEADER_BYTES = 44;
const LOUDNESS = 0.8;

// Semitones above the root: the chords of four bars, and the notes of a melody.
const PROGRESSIONS = [
  [0, 9, 5, 7],
  [0, 5, 9, 7],
  [0, 7, 9, 5],
  [9, 5, 0, 7],
];
const CHORDS: Readonly<Record<number, readonly number[]>> = { 0: [0, 4, 7], 5: [0, 4, 7], 7: [0, 4, 7], 9: [0, 3, 7] };
const PENTATONIC = [0, 2, 4, 7, 9, 12];

/** The loop of a station, as the bytes of a WAV file: mono, 16 bits, 16,000 Hz, 7 to 13 seconds. */
export function loopOf(station: string): Uint8Array {
  const draw = seeded(numberOf(station));
  const beat = Math.round((SAMPLE_RATE * 60) / (76 + Math.floor(draw() * 56)));
  const samples = new Float32Array(beat * BEATS);
  const root = 45 + Math.floor(draw() * 12);
  const progression = PROGRESSIONS[Math.floor(draw() * PROGRESSIONS.length)] ?? [];
  const brightness = 0.1 + draw() * 0.4;
  for (const [bar, degree] of progression.entries()) {
    const at = bar * BEATS_PER_BAR * beat;
    for (const semitones of CHORDS[degree] ?? []) {
      tone(samples, { at, length: BEATS_PER_BAR * beat, note: root + degree + semitones, loudness: 0.1, brightness });
    }
    tone(samples, { at, length: 2 * beat, note: root + degree - 12, loudness: 0.22, brightness: 0.1 });
  }
  for (let step = 0; step < BEATS * 2; step += 1) {
    if (draw() < 0.7) {
      const note = root + 12 + (PENTATONIC[Math.floor(draw() * PENTATONIC.length)] ?? 0);
      tone(samples, { at: (step * beat) >> 1, length: beat, note, loudness: 0.16, brightness });
    }
  }
  for (let at = 0; at < samples.length; at += beat) {
    drum(samples, at);
  }
  return wavOf(samples);
}

// One period of a sine wave, computed only once.
const SINE = Float32Array.from({ length: 2048 }, (_, index) => Math.sin((2 * Math.PI * index) / 2048));
const sine = (at: number): number => SINE[Math.floor(at) & (SINE.length - 1)] ?? 0;

interface Tone {
  /** The sample at which it begins, and its length in samples. */
  readonly at: number;
  readonly length: number;
  /** A MIDI note number. */
  readonly note: number;
  readonly loudness: number;
  /** How loud its octave is. */
  readonly brightness: number;
}

// A tone that would last beyond the end is mixed into the beginning, so that nothing clicks.
function tone(samples: Float32Array, { at, length, note, loudness, brightness }: Tone): void {
  const step = (SINE.length * 440 * 2 ** ((note - 69) / 12)) / SAMPLE_RATE;
  const attack = SAMPLE_RATE / 50;
  for (let index = 0; index < length; index += 1) {
    const left = 1 - index / length;
    const envelope = Math.min(1, index / attack) * left * left;
    const value = sine(step * index) + brightness * sine(2 * step * index);
    add(samples, at + index, value * envelope * loudness);
  }
}

function drum(samples: Float32Array, at: number): void {
  const length = SAMPLE_RATE / 6;
  for (let index = 0; index < length; index += 1) {
    const left = (1 - index / length) ** 3;
    add(samples, at + index, sine((SINE.length * (60 + 70 * left) * index) / SAMPLE_RATE) * left * 0.35);
  }
}

function add(samples: Float32Array, at: number, value: number): void {
  const index = at % samples.length;
  samples[index] = (samples[index] ?? 0) + value;
}

function wavOf(samples: Float32Array): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES + samples.length * 2);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  // PCM, one channel; bytes per second, bytes per sample, bits per sample.
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(SAMPLE_RATE, 24);
  bytes.writeUInt32LE(SAMPLE_RATE * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(samples.length * 2, 40);
  const loudest = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  for (let index = 0; index < samples.length; index += 1) {
    bytes.writeInt16LE(Math.round(((samples[index] ?? 0) / loudest) * LOUDNESS * 32_767), HEADER_BYTES + index * 2);
  }
  return bytes;
}
