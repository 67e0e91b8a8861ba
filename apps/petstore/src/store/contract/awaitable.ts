/** An engine that has the result at hand returns it at once: the hottest paths wait for nothing. */
export type Awaitable<T> = T | Promise<T>;
