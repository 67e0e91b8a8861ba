/**
 * Works while `renew` keeps a lease, every `everyMs` milliseconds. The work's signal is aborted when `stop` is, or when
 * `renew` says that the lease is lost. A renewal that fails says nothing: the next one may come in time.
 */
export async function underLease(
  renew: () => Promise<boolean>,
  everyMs: number,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const timer = setInterval(async () => {
    const isMine = await renew().catch(() => true);
    if (!isMine) lost.abort(new Error('the lease was lost'));
  }, everyMs);
  try {
    await work(AbortSignal.any([stop, lost.signal]));
  } finally {
    clearInterval(timer);
  }
}
