// Formats sizes for people.
const UNITS = [
  { name: "MiB", bytes: 1024 * 1024 },
  { name: "KiB", bytes: 1024 },
] as const;

/** A number of bytes in the largest unit that gives a whole number: `64 KiB`, `1 MiB`, `1500 bytes`. */
export function byteSize(bytes: number): string {
  const unit = UNITS.find((one) => bytes > 0 && bytes % one.bytes === 0);
  return unit === undefined ? `${bytes} ${bytes === 1 ? "byte" : "bytes"}` : `${bytes / unit.bytes} ${unit.name}`;
}
