import { hostname, userInfo } from 'node:os';

/** Who acts: the operating system's user and the host, as `ada@shop-1`. */
export function systemActor(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that its /etc/passwd does not name.
    return `uid ${process.getuid?.()}`;
  }
}
