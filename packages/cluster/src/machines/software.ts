import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, glob } from 'node:fs/promises';
import { promisify } from 'node:util';
import { UserError } from '@petstore/service/user-error.ts';

const run = promisify(execFile);

/** The software of the cluster: each program, and the Debian package that has it. */
const PROGRAMS = {
  ip: ['/usr/bin/ip', 'iproute2'],
  etcd: ['/usr/bin/etcd', 'etcd-server'],
  patroni: ['/usr/bin/patroni', 'patroni'],
  postgres: ['/usr/lib/postgresql/15/bin/postgres', 'postgresql-15'],
  haproxy: ['/usr/sbin/haproxy', 'haproxy'],
  keepalived: ['/usr/sbin/keepalived', 'keepalived'],
  socat: ['/usr/bin/socat', 'socat'],
  pgbouncer: ['/usr/sbin/pgbouncer', 'pgbouncer'],
  strace: ['/usr/bin/strace', 'strace'],
  psql: ['/usr/bin/psql', 'postgresql-client'],
  curl: ['/usr/bin/curl', 'curl'],
} as const;

/**
 * Rejects with a UserError that says what to install where something is missing, and where the process is not root on
 * Linux.
 */
export async function checkSoftware(): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new UserError(
      'The cluster needs root on Linux, since each of its machines is a network namespace: sudo npm run cluster.',
    );
  }
  const missing: string[] = [];
  for (const [program, debian] of Object.values(PROGRAMS)) {
    await access(program, constants.X_OK).catch(() => missing.push(debian));
  }
  if (missing.length > 0) {
    throw new UserError(
      `The cluster is made of Debian's packages, and some are missing: apt-get install --no-install-recommends ${missing.join(' ')}`,
    );
  }
}

/** The library that gives a machine another clock than the kernel's. */
export async function clockLibrary(): Promise<string> {
  for await (const file of glob('/usr/lib/*/faketime/libfaketime.so.1')) return file;
  throw new UserError('The library of faketime is missing: apt-get install libfaketime');
}

/** The user whom PostgreSQL, Patroni and etcd run as. */
export async function databaseUser(): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}
