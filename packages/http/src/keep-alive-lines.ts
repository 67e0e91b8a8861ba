/**
 * The last lines of a response's head on a connection that stays open, the empty line included, for heads that are
 * written without Node's help. They are renewed each second, for the date.
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
