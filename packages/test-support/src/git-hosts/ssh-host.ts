import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnChild } from '../children.ts';
import type { Ending } from '../clean-up.ts';
import { freePort } from '../postgres.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { SSHD } from './requirements.ts';

export interface GitSshHost {
  /** `ssh://user@localhost:1234`; paths behind it are those of the disk. */
  readonly origin: string;
  /** Lets a key in: a line of authorized_keys. */
  authorize(publicKey: string): Promise<void>;
  /** Lets nobody in any more. */
  revokeAll(): Promise<void>;
  /** Its public key, without a comment. */
  hostKey(): Promise<string>;
  /** Gives it another key, as a host that was set up anew. */
  renewHostKey(): Promise<void>;
}

/** OpenSSH's server on loopback, which lets in the user that the test runs as. */
export async function gitSshHost(t: Ending): Promise<GitSshHost> {
  const folder = await temporaryFolder(t);
  const port = await freePort();
  const hostKey = join(folder, 'host_key');
  const authorized = join(folder, 'authorized_keys');
  const config = join(folder, 'sshd_config');
  const makeKey = async () => {
    await rm(hostKey, { force: true });
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
  };
  await makeKey();
  await writeFile(authorized, '');
  await writeFile(
    config,
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${hostKey}
AuthorizedKeysFile ${authorized}
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
AcceptEnv GIT_PROTOCOL
`,
  );
  // Where the server puts itself while it does not know who asks.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  let server = await start(t, config, port);
  return {
    origin: `ssh://${userInfo().username}@localhost:${port}`,
    authorize: (publicKey) => appendFile(authorized, `${publicKey}\n`),
    revokeAll: () => writeFile(authorized, ''),
    async hostKey() {
      const [type, data] = (await readFile(`${hostKey}.pub`, 'utf8')).split(' ');
      return `${type} ${data}`;
    },
    async renewHostKey() {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
      await makeKey();
      server = await start(t, config, port);
    },
  };
}

async function start(t: Ending, config: string, port: number) {
  const server = spawnChild(t, SSHD, ['-D', '-e', '-f', config], { stdio: 'ignore' });
  for (let tries = 0; ; tries += 1) {
    if (await listens(port)) return server;
    if (tries > 200 || server.exitCode !== null) throw new Error('sshd does not listen');
    await sleep(25);
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => socket.end(() => resolve(true)));
    socket.on('error', () => resolve(false));
  });
}
