import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ApiError } from '@petstore/http/errors.ts';
import { formatBytes } from '@petstore/service/text.ts';
import { invalidRequest, rateLimited } from '../api-error.ts';
import { countBufferBytes } from '../memory-trimming.ts';
import type { Spool } from '../spool.ts';
import { type ReceivedFile, uploadTooLarge } from './upload.ts';

/** How many uploads may be under way at the same time. */
export interface UploadLimits {
  /** For one account: uploads, and bytes as announced. */
  readonly account: Bounds;
  /** For all accounts together. */
  readonly total: Bounds;
  /** What an upload must bring in a second. */
  readonly bytesPerSecond: number;
  /** How far an upload may fall behind that, in milliseconds, before it is aborted. */
  readonly graceMs: number;
}

interface Bounds {
  readonly uploads: number;
  readonly bytes: number;
}

/**
 * The rate is half of what a line of 128 kbit/s carries. The grace is for a mobile line that stalls on the way from one
 * mast to the next.
 */
export const UPLOAD_LIMITS: UploadLimits = {
  account: { uploads: 10, bytes: 250_000_000 },
  total: { uploads: 50, bytes: 1_000_000_000 },
  bytesPerSecond: 8_000,
  graceMs: 30_000,
};

/** When to retry after a refusal: uploads take seconds. */
const RETRY_AFTER_MS = 5_000;

export interface UploadReceiver {
  /**
   * Writes a body to a file. `account`: who sends it; `announced`: its Content-Length, if it has one. Throws ApiError
   * `payload_too_large`, `request_timeout`, `invalid_request` for one that ends early, `rate_limited` or `unavailable`
   * when too much is under way; then nothing of it stays.
   */
  receive(body: Readable, account: string, announced: number | undefined): Promise<ReceivedFile>;
}

/**
 * Receives uploads of at most `maxBytes` into files of the spool, within bounds: no body is ever in memory as a whole.
 */
export function uploadReceiver(
  spool: Spool,
  limits: UploadLimits,
  maxBytes: number,
): UploadReceiver {
  const total = { uploads: 0, bytes: 0 };
  const byAccount = new Map<string, { uploads: number; bytes: number }>();

  /** Counts an upload; the returned function removes it from the count. */
  const admit = (account: string, bytes: number): (() => void) => {
    const mine = byAccount.get(account) ?? { uploads: 0, bytes: 0 };
    if (!fits(mine, bytes, limits.account)) {
      throw rateLimited(
        `You have ${mine.uploads} uploads on their way (${megabytes(mine.bytes)} MB). An account may have ${inWords(limits.account)} at the same time. Try again when one of them has arrived.`,
        RETRY_AFTER_MS,
      );
    }
    if (!fits(total, bytes, limits.total)) {
      throw new ApiError(
        'unavailable',
        'This service is receiving as many uploads as it can. Try again in a few seconds.',
        { headers: { 'retry-after': `${RETRY_AFTER_MS / 1_000}` } },
      );
    }
    byAccount.set(account, mine);
    for (const counted of [mine, total]) {
      counted.uploads += 1;
      counted.bytes += bytes;
    }
    return () => {
      for (const counted of [mine, total]) {
        counted.uploads -= 1;
        counted.bytes -= bytes;
      }
      if (mine.uploads === 0) byAccount.delete(account);
    };
  };

  return {
    async receive(body, account, announced) {
      if ((announced ?? 0) > maxBytes) throw uploadTooLarge(maxBytes, announced);
      // Without a Content-Length it counts as the longest one allowed.
      const leave = admit(account, announced ?? maxBytes);
      const path = spool.newPath();
      let size = 0;
      try {
        const file = await open(path, 'wx', 0o600);
        try {
          for await (const chunk of chunksOf(body, limits)) {
            countBufferBytes(chunk.length);
            size += chunk.length;
            if (size > maxBytes) throw uploadTooLarge(maxBytes);
            await file.appendFile(chunk);
          }
        } finally {
          await file.close();
        }
        return { path, size };
      } catch (error) {
        await rm(path, { force: true });
        throw explained(error);
      } finally {
        leave();
      }
    },
  };
}

/**
 * The chunks of a body. Unlike a stream's own iterator it does not destroy the body when the caller stops early: that
 * would close the connection, and the sender would never read the reason. Throws ApiError `request_timeout` when they
 * fall behind the rate by more than the grace.
 *
 * Each wait for the sender shortens the time left, and each byte prolongs it, up to the grace and no further: whoever
 * sends much at first may not send nothing for long afterwards. Time in which the caller writes a chunk does not count.
 */
async function* chunksOf(
  body: Readable,
  { bytesPerSecond, graceMs }: Pick<UploadLimits, 'bytesPerSecond' | 'graceMs'>,
): AsyncGenerator<Uint8Array> {
  const chunks = body.iterator({ destroyOnReturn: false });
  let leftMs = graceMs;
  try {
    for (;;) {
      const late = Promise.withResolvers<never>();
      // If this process stood still itself, it first reads what arrived meanwhile.
      const timer = setTimeout(
        () => setImmediate(() => late.reject(tooSlow(bytesPerSecond))),
        leftMs,
      );
      const begun = performance.now();
      let next: IteratorResult<Uint8Array>;
      try {
        next = await Promise.race([chunks.next(), late.promise]);
      } finally {
        clearTimeout(timer);
      }
      if (next.done) return;
      const waitedMs = performance.now() - begun;
      const earnedMs = (next.value.length / bytesPerSecond) * 1_000;
      // Where this process stood still itself, more was waited than was left.
      leftMs = Math.min(graceMs, Math.max(0, leftMs - waitedMs) + earnedMs);
      yield next.value;
    }
  } finally {
    // While the iterator listens, the rest of the body cannot be dropped. It is not awaited: with a silent sender it
    // would wait for the next chunk.
    void chunks.return?.().then(
      () => body.resume(),
      () => undefined,
    );
  }
}

function fits(counted: Bounds, bytes: number, limit: Bounds): boolean {
  return counted.uploads < limit.uploads && counted.bytes + bytes <= limit.bytes;
}

function inWords({ uploads, bytes }: Bounds): string {
  return `${uploads} uploads and ${megabytes(bytes)} MB`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0);
}

function tooSlow(bytesPerSecond: number): ApiError {
  return new ApiError(
    'request_timeout',
    `The upload stalled or was too slow: on average less than ${formatBytes(bytesPerSecond)} arrived in a second. Upload it again, over a faster line.`,
  );
}

/** An error while an upload is written, for its sender where it is theirs to know. */
export function explained(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  // Node's message for a body that is cut off.
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return invalidRequest('The body ended before its Content-Length.');
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ApiError(
      'unavailable',
      'The service has no room for the upload right now. Try again later.',
      { cause: error, headers: { 'retry-after': '60' } },
    );
  }
  return error;
}
