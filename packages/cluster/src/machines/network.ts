import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A network in namespaces of the kernel: a bridge, and behind each of its ports a machine with one address. It cannot
 * be reached from outside, and reaches nothing outside. Needs root.
 */
export class Network {
  /** The prefix of each namespace's name, so that several clusters can run side by side. */
  readonly id = `pc${randomBytes(3).toString('hex')}`;
  readonly #switch = `${this.id}-switch`;
  readonly #ports = new Map<string, string>();

  async create(): Promise<void> {
    await this.#namespace(this.#switch);
    await ip('-n', this.#switch, 'link', 'add', 'bridge', 'type', 'bridge', 'forward_delay', '0');
    await ip('-n', this.#switch, 'link', 'set', 'bridge', 'up');
  }

  /** Adds a machine with an address in 10.0.0.0/24, and gives the name of its namespace. */
  async connect(name: string, address: string): Promise<string> {
    const namespace = `${this.id}-${name}`;
    const port = `port${this.#ports.size}`;
    await this.#namespace(namespace);
    const ends = ['link', 'add', 'eth0', 'netns', namespace, 'type', 'veth'];
    await ip(...ends, 'peer', 'name', port, 'netns', this.#switch);
    await ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    await ip('-n', this.#switch, 'link', 'set', port, 'master', 'bridge', 'up');
    this.#ports.set(name, port);
    return namespace;
  }

  /** Drops everything that a machine sends, and everything sent to it, without telling anybody. */
  async cut(name: string): Promise<void> {
    await ip('-n', this.#switch, 'link', 'set', this.#port(name), 'nomaster');
  }

  /** Undoes `cut`. */
  async mend(name: string): Promise<void> {
    await ip('-n', this.#switch, 'link', 'set', this.#port(name), 'master', 'bridge');
  }

  #port(name: string): string {
    const port = this.#ports.get(name);
    if (port === undefined) throw new Error(`There is no machine ${name}.`);
    return port;
  }

  async #namespace(name: string): Promise<void> {
    await ip('netns', 'add', name);
    await ip('-n', name, 'link', 'set', 'lo', 'up');
  }
}

/** The processes in a namespace. */
export async function processesIn(namespace: string): Promise<number[]> {
  const { stdout } = await run('ip', ['netns', 'pids', namespace]);
  return stdout.split('\n').filter(Boolean).map(Number);
}

async function ip(...args: string[]): Promise<void> {
  await run('ip', args);
}
