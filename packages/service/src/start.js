// Plain JavaScript, so that an old Node can read far enough to say that it is too old: the programs are TypeScript,
// which Node runs directly only from version 24 on.

/**
 * Flags that only a process that starts can be given. What short-lived objects may take, in MB: 3 × 64 by default, which
 * buys a service nothing, since what dies with its request is collected as fast from 3 × 8, and in shorter pauses. And
 * how many threads compile and collect garbage beside the one that serves: four by default, which leave it a fifth of a
 * single core while V8 compiles what it finds to be hot. Neither is of those under which compiled code counts as stale:
 * Node brings its own modules compiled, and would compile all that it loads.
 */
const startFlags = (cores) => ({
  '--max-semi-space-size': 8,
  '--v8-pool-size': Math.max(1, Math.min(4, cores - 1)),
});

/**
 * V8 notes which places in the code make objects that live long, and makes the next ones there in the old
 * generation. In a service one slow fsync is enough for that: requests wait, and all that they made lives on. From
 * then on each of their objects is made old, dies at once, and keeps alive what it points to until a full
 * collection. Creates were a fifth slower for it, and took 40 MB.
 */
const NO_PRETENURING = '--no-allocation-site-pretenuring';

/**
 * Above this size, the C library returns memory to the system as soon as it is freed. By default it adapts to the 19
 * MiB that hashing a password takes, and from then on keeps as much for each thread that hashes one.
 */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: String(4 * 1024 * 1024) };

const IN_A_CHECKOUT = 'After `npm ci`, put node_modules/.bin first in PATH: it holds one.';

/**
 * Starts a program, or says that this Node is too old for it.
 *
 * @param {object} program
 * @param {string} program.name the program's name, for people
 * @param {URL} program.folder its package's folder, with a slash at the end
 * @param {string} program.main its first module, in that folder
 * @param {string[]} program.services the commands that go on until they are stopped
 * @param {string} [program.whereNode] where a newer Node is, as a sentence
 */
export async function start({ name, folder, main, services, whereNode = IN_A_CHECKOUT }) {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 24) {
    process.stderr.write(
      `${name} needs Node 24 or newer; this is Node ${process.versions.node}. ${whereNode}\n`,
    );
    process.exit(1);
  }
  // What was compiled once, and stripped of its types, is read back at the next start: a third of
  // the time to the first response, and 20 MB that the compiler would hold, in each thread. The folder
  // belongs to whoever installed the program; Node's own default, in the shared temporary folder,
  // could be anyone's. Where it can't be written, the program starts without.
  const { enableCompileCache, flushCompileCache } = await import('node:module');
  const { fileURLToPath } = await import('node:url');
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache', folder));

  const isService = services.includes(process.argv[2]);
  if (isService) await startWithFlags();

  enableCompileCache();
  await import(new URL(main, folder).href);

  if (isService) {
    // Compiled code is stale under other flags than it was written with, Node's own flags included. So the compiled
    // code is written first, and this flag is set when the program is loaded.
    flushCompileCache();
    const { setFlagsFromString } = await import('node:v8');
    setFlagsFromString(NO_PRETENURING);
  }
}

/**
 * Starts the service once more as the same process (the same pid), with those of its flags that are not given already.
 */
async function startWithFlags() {
  const { availableParallelism } = await import('node:os');
  const given = [...process.execArgv, process.env.NODE_OPTIONS].join(' ').replaceAll('_', '-');
  const flags = Object.entries(startFlags(availableParallelism()))
    .filter(([name]) => !given.includes(name))
    .map(([name, value]) => `${name}=${value}`);
  // A channel to a parent process would not survive it (child_process.fork), nor would sockets that systemd passes.
  const hasSockets = process.env.LISTEN_PID === String(process.pid);
  if (process.connected || hasSockets || flags.length === 0) return;
  const args = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  try {
    process.execve(process.execPath, args, { ...MALLOC, ...process.env });
  } catch {
    // Windows has no execve, and Node's permission model may forbid it. Then the program runs without the flags.
  }
}
