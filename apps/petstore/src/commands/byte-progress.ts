import { type Progress, showProgress } from './progress.ts';

/** Shows a person how far the work on a file is. */
export interface ByteProgress {
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
