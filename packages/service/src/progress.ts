import type { WriteStream } from 'node:tty';

/** How often a plain line tells how far the work is, in milliseconds, when its end is unknown. */
const PLAIN_INTERVAL_MS = 10_000;

/** What a person sees of work that takes minutes. */
export interface Progress {
  /** The work has come to `done` of the total; `text` says what that means. */
  update(done: number, text: string): void;
  /** Writes a line without damage to the bar. */
  say(line: string): void;
  /** Ends the display: the work is done, or stops. */
  stop(): void;
}

/**
 * Shows progress: on a terminal a bar that moves (or, where the total is unknown, a line that
 * changes), elsewhere a plain line for each tenth of the work (or each ten seconds). It goes to
 * standard error, since standard output may carry data.
 */
export async function showProgress(
  total: number | undefined,
  stream: Pick<WriteStream, 'write'> & { readonly isTTY?: boolean } = process.stderr,
): Promise<Progress> {
  const write = (line: string) => stream.write(`${line}\n`);
  return stream.isTTY ? bar(total, stream as WriteStream, write) : plainLines(total, write);
}

async function bar(
  total: number | undefined,
  stream: WriteStream,
  write: (line: string) => void,
): Promise<Progress> {
  // Loaded here: the service, and whoever writes into a file, never see a bar.
  const { SingleBar } = await import('cli-progress');
  const display = new SingleBar({
    format: total === undefined ? '{text}' : '{bar} {percentage} % | {text} | {eta_formatted} left',
    stream,
    clearOnComplete: true,
    hideCursor: true,
  });
  let isShown = false;
  return {
    update(done, text) {
      if (isShown) display.update(done, { text });
      else display.start(total ?? 0, done, { text });
      isShown = true;
    },
    say(line) {
      // The bar is drawn anew below the line.
      if (isShown) stream.write('\r\x1b[K');
      write(line);
    },
    stop() {
      if (isShown) display.stop();
      isShown = false;
    },
  };
}

function plainLines(total: number | undefined, write: (line: string) => void): Progress {
  let lastTenth = 0;
  let lastTime = Date.now();
  return {
    update(done, text) {
      if (total === undefined) {
        if (Date.now() - lastTime < PLAIN_INTERVAL_MS) return;
        lastTime = Date.now();
        write(text);
        return;
      }
      const tenth = Math.floor((10 * done) / total);
      if (tenth <= lastTenth) return;
      lastTenth = tenth;
      write(`${tenth * 10} %: ${text}`);
    },
    say: write,
    stop() {},
  };
}

/** Shows a person how far the work on a file is. */
interface ByteProgress {
  /** The work begins, on so many bytes. */
  start(total: number): Promise<void>;
  update(done: number): void;
  /** The bytes are done. The work that follows cannot tell how far it is. */
  phase(sentence: string): void;
  /** Ends the display, if there is one. */
  stop(): void;
}

/** A bar on a terminal, and nothing elsewhere: such work runs at night, and its mail must be about failures alone. */
export function byteProgress(verb: string): ByteProgress {
  let bar: Progress | undefined;
  let total = 0;
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  return {
    async start(bytes) {
      total = bytes;
      if (process.stderr.isTTY) bar = await showProgress(bytes);
    },
    update(done) {
      bar?.update(done, `${megabytes(done)} of ${megabytes(total)} MB ${verb}`);
    },
    phase(sentence) {
      bar?.stop();
      bar?.say(sentence);
    },
    stop() {
      bar?.stop();
    },
  };
}
