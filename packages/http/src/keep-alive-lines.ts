/**
 * The last lines of the head of an answer after which the connection stays open, the empty one included, for
 * those who write heads themselves. Made anew each second, for the date.
 */
export function keepAliveLines(keepAliveMs: number): () => string {
  let madeAt = Number.NaN;
  let lines = '';
  return () => {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== madeAt) {
      const date = new Date(second * 1_000).toUTCString();
      const timeout = Math.floor(keepAliveMs / 1_000);
      lines = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${timeout}\r\n\r\n`;
      madeAt = second;
    }
    return lines;
  };
}
