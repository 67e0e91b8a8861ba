import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Reads `namespace NAME` and `mount FOLDER` and `folder FOLDER` from its standard input, and takes them away in reverse order when that
 * ends, which it does with the process at the other end, however that ends.
 */
const SCRIPT = `
trap '' INT TERM HUP
lines=
while IFS= read -r line; do lines="$line
$lines"; done
printf '%s' "$lines" | while read -r kind name; do
  case $kind in
    namespace) for round in 1 2 3; do for pid in $(ip netns pids "$name"); do kill -KILL "$pid"; done; done ;;
  esac
done 2>/dev/null
sleep 0.3
printf '%s' "$lines" | while read -r kind name; do
  case $kind in
    namespace) ip netns delete "$name" ;;
    mount) umount -l "$name" ;;
    folder) rm -rf "$name" ;;
  esac
done 2>/dev/null
`;

/** Takes away what a cluster has made, even when the cluster itself was killed. */
export class Teardown {
  readonly #child = spawn('sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });

  /** Tells it of something that is about to be made. */
  add(kind: 'namespace' | 'mount' | 'folder', name: string): void {
    (this.#child.stdin as Writable).write(`${kind} ${name}\n`);
  }

  /** Takes all away, and waits until it is. */
  async finish(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }
}
