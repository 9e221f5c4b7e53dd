// A few notes for a station of the sandbox, derived from its name, as WAV that loops without a gap. Pure.
import { numberOf } from "../market/assets.ts";
import { seeded } from "../seeded.ts";

const SAMPLE_RATE = 16_000;
const NOTES = 16;
const HEADER_BYTES = 44;
// Semitones above the lowest note.
const PENTATONIC = [0, 2, 4, 7, 9, 12];

/** The loop of a station, as the bytes of a WAV file: mono, 16 bits, 16,000 Hz, 5 to 9 seconds. */
export function loopOf(station: string): Uint8Array {
  const draw = seeded(numberOf(station));
  const noteSamples = Math.round(SAMPLE_RATE * (0.32 + draw() * 0.2));
  const lowest = 220 * 2 ** (Math.floor(draw() * 12) / 12);
  const bytes = Buffer.alloc(HEADER_BYTES + NOTES * noteSamples * 2);
  for (let note = 0; note < NOTES; note += 1) {
    const hertz = lowest * 2 ** ((PENTATONIC[Math.floor(draw() * PENTATONIC.length)] ?? 0) / 12);
    for (let sample = 0; sample < noteSamples; sample += 1) {
      // Each note begins and ends in silence, so that nothing clicks.
      const loudness = 0.8 * Math.sin((Math.PI * sample) / noteSamples);
      const value = loudness * Math.sin((2 * Math.PI * hertz * sample) / SAMPLE_RATE);
      bytes.writeInt16LE(Math.round(value * 32_767), HEADER_BYTES + (note * noteSamples + sample) * 2);
    }
  }
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
  bytes.writeUInt32LE(bytes.length - HEADER_BYTES, 40);
  return bytes;
}
