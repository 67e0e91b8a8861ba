import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../machines/machine.ts';
import { type Applied, type Fault, lasting, primaryOf, synchronousStandbyOf } from './fault.ts';

// Disks that are full, or slow.

/** What each sync of a slow disk takes, in microseconds. */
const SLOW_MICROSECONDS = 300_000;

/** What others may write while the file that fills a disk is made. */
const LAST_BYTES = 32 * 1024 * 1024;

async function fill(machine: Machine): Promise<Applied> {
  const disk = join(machine.folder, 'disk');
  const file = join(disk, 'filling');
  const { bavail, bsize } = await statfs(disk);
  const most = Math.max(0, bavail * bsize - LAST_BYTES);
  await machine.run('fallocate', ['--length', `${most + 1}`, file]);
  // The rest byte by byte, since others write, too; it ends with an error when nothing is left.
  const rest = ['if=/dev/zero', `of=${file}`, 'bs=4k', 'oflag=append', 'conv=notrunc'];
  await machine.run('dd', rest).catch(() => undefined);
  return { to: machine.name, undo: () => rm(file, { force: true }) };
}

/** strace holds up each sync of the processes that are there. */
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
  lasting('full-disk-primary', 'The disk of the primary is full', (scene) =>
    fill(primaryOf(scene)),
  ),
  lasting('full-disk-standby', 'The disk of the synchronous standby is full', (scene) =>
    fill(synchronousStandbyOf(scene)),
  ),
  lasting(
    'slow-disk-primary',
    `Each sync of the primary's disk takes ${SLOW_MICROSECONDS / 1000} ms`,
    (scene) => slow(primaryOf(scene)),
  ),
  lasting(
    'slow-disk-standby',
    `Each sync of the synchronous standby's disk takes ${SLOW_MICROSECONDS / 1000} ms`,
    (scene) => slow(synchronousStandbyOf(scene)),
  ),
];
