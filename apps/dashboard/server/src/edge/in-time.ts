/** The store is taken to be away when it does not answer in this time, in milliseconds. */
const READ_TIMEOUT_MS = 5_000;

/** What a read of the store gives; rejects where that takes too long. */
export async function inTime<T>(read: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`The store did not answer in ${READ_TIMEOUT_MS} ms.`)),
    READ_TIMEOUT_MS,
  );
  try {
    return await Promise.race([read, promise]);
  } finally {
    clearTimeout(timer);
  }
}
