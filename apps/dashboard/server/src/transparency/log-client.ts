/** How long a log may take for one response, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** A log did not respond, or not as it has to. */
export class LogResponseError extends Error {
  override name = 'LogResponseError';
  readonly status: number | undefined;
  /** Its Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    {
      status,
      retryAfterMs,
      ...options
    }: ErrorOptions & { status?: number; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface LogClientOptions {
  /** Whom the operator of a log may write to. */
  readonly email: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Gets something from a log: at most `maxBytes` after decompression, which logs may use without asking. Follows no
 * redirect. Rejects with LogResponseError, or when the signal comes.
 */
export async function getFromLog(
  url: string,
  maxBytes: number,
  { email, signal }: LogClientOptions,
): Promise<Buffer> {
  // Operators of logs ask readers to say who they are.
  const agent = `petstore-dashboard/0.1${email === undefined ? '' : ` (mailto:${email})`}`;
  const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': agent },
      redirect: 'error',
      signal: within,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      const after = Number(response.headers.get('retry-after') ?? Number.NaN);
      throw new LogResponseError(`${url} responded with ${response.status}`, {
        status: response.status,
        retryAfterMs: after >= 0 ? after * 1_000 : undefined,
      });
    }
    return await bytesOf(response, maxBytes, url);
  } catch (error) {
    if (error instanceof LogResponseError || signal.aborted) throw error;
    const { cause, message } = error as Error;
    const why = within.aborted
      ? `did not respond within ${TIMEOUT_MS / 1_000} seconds`
      : `cannot be read: ${cause instanceof Error ? cause.message : message}`;
    throw new LogResponseError(`${url} ${why}`, { cause: error });
  }
}

async function bytesOf(response: Response, maxBytes: number, url: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new LogResponseError(`${url} has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
