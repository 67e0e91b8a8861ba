import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../repository.ts';
import type { Workspace } from './workspace.ts';

/** The name by which known_hosts has the host, whatever address it was reached at. */
const ALIAS = 'repository';

/** The lines of known_hosts that we write and read: a type, and a key in base64. */
const HOST_KEY = /^[a-z0-9@.-]+ [A-Za-z0-9+/=]+$/;

const NONE = 'none';

/** Names in the workspace, in which git runs: its path may have what ssh or the shell would read in another way. */
const CONFIG = 'ssh_config';
const KNOWN_HOSTS = 'known_hosts';
const KEY = 'key';

/**
 * Writes what ssh needs, and returns the command for git. The key is in a file of the workspace, since ssh takes none
 * otherwise. `port`: on loopback, that leads to the host.
 */
export async function writeSshFiles(
  workspace: Workspace,
  { credentials, hostKeys }: Repository,
  port: string,
): Promise<string> {
  const wrong = hostKeys.find((key) => !HOST_KEY.test(key));
  if (wrong !== undefined) throw new TypeError(`not a host key: ${wrong}`);
  const known = hostKeys.map((key) => `${ALIAS} ${key}\n`).join('');
  const key = credentials?.kind === 'key' ? credentials.privateKey : undefined;
  await workspace.write(KNOWN_HOSTS, known);
  if (key !== undefined) await workspace.write(KEY, key);
  const options = {
    HostName: '127.0.0.1',
    Port: port,
    HostKeyAlias: ALIAS,
    UserKnownHostsFile: KNOWN_HOSTS,
    GlobalKnownHostsFile: '/dev/null',
    // The first key is taken, and no other one later.
    StrictHostKeyChecking: hostKeys.length > 0 ? 'yes' : 'accept-new',
    UpdateHostKeys: 'no',
    HashKnownHosts: 'no',
    CheckHostIP: 'no',
    VerifyHostKeyDNS: 'no',
    IdentityFile: key === undefined ? NONE : KEY,
    IdentitiesOnly: 'yes',
    IdentityAgent: NONE,
    PreferredAuthentications: 'publickey',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    BatchMode: 'yes',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ControlPath: NONE,
    ProxyCommand: NONE,
    CanonicalizeHostname: 'no',
    ConnectionAttempts: '1',
    ConnectTimeout: '20',
    LogLevel: 'ERROR',
  };
  const lines = Object.entries(options).map(([name, value]) => `${name} ${value}\n`);
  await workspace.write(CONFIG, lines.join(''));
  return `ssh -F ${CONFIG}`;
}

/** The keys that the host has shown, with those that it was known by; of https none. */
export async function readHostKeys({ folder }: Workspace): Promise<readonly string[]> {
  const text = await readFile(join(folder, KNOWN_HOSTS), 'latin1').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${ALIAS} `))
    .map((line) => line.slice(ALIAS.length + 1).trim())
    .filter((key) => HOST_KEY.test(key));
}
