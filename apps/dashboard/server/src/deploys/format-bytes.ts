/** A number of bytes as people read it: `29 bytes`, `12 kB`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1_000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
