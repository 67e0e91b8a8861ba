import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../machines/machine.ts';
import {
  type Applied,
  type Fault,
  type Limits,
  lasting,
  NEXT_STANDBY,
  primaryOf,
  synchronousStandbyOf,
} from './fault.ts';

// Disks that are full, or slow.

/** How long each sync of a slow disk takes, in microseconds. */
const SLOW_MICROSECONDS = 300_000;

const SLOW_LIMITS: Limits = { readsMs: 1_000, writesMs: 5_000 };

/** The room that others may use up while the file that fills the disk is written. */
const LAST_BYTES = 32 * 1024 * 1024;

async function fill(machine: Machine): Promise<Applied> {
  const disk = join(machine.folder, 'disk');
  const file = join(disk, 'filling');
  const { bavail, bsize } = await statfs(disk);
  const most = Math.max(0, bavail * bsize - LAST_BYTES);
  await machine.run('fallocate', ['--length', `${most + 1}`, file]);
  // The rest byte by byte, since others write, too. It ends with an error when the disk is full.
  const rest = ['if=/dev/zero', `of=${file}`, 'bs=4k', 'oflag=append', 'conv=notrunc'];
  await machine.run('dd', rest).catch(() => undefined);
  return { to: machine.name, undo: () => rm(file, { force: true }) };
}

/** strace delays each sync of the current processes. */
async function slow(machine: Machine): Promise<Applied> {
  const pids = await machine.databaseProcesses();
  const slowly = `inject=fsync,fdatasync:delay_exit=${SLOW_MICROSECONDS}`;
  const options = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync', '-e', slowly];
  const child = spawn('strace', [...options, ...pids.flatMap((pid) => ['-p', `${pid}`])], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  return {
    to: machine.name,
    async undo() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export const DISK_FAULTS: readonly Fault[] = [
  lasting(
    'full-disk-primary',
    'The disk of the primary is full',
    { readsMs: 1_000, writesMs: 10_000, writesWait: true },
    (scene) => fill(primaryOf(scene)),
  ),
  lasting(
    'full-disk-standby',
    'The disk of the synchronous standby is full',
    NEXT_STANDBY,
    (scene) => fill(synchronousStandbyOf(scene)),
  ),
  lasting(
    'slow-disk-primary',
    `Each sync of the primary's disk takes ${SLOW_MICROSECONDS / 1000} ms`,
    SLOW_LIMITS,
    (scene) => slow(primaryOf(scene)),
  ),
  lasting(
    'slow-disk-standby',
    `Each sync of the synchronous standby's disk takes ${SLOW_MICROSECONDS / 1000} ms`,
    SLOW_LIMITS,
    (scene) => slow(synchronousStandbyOf(scene)),
  ),
];
