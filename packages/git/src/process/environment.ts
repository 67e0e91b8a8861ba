import { dirname } from 'node:path';

/** What git does in each call, whatever the machine's own files and the repository say. */
const CONFIG = {
  // Nothing of a repository is run.
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.askPass': '',
  'credential.helper': '',
  'fetch.recurseSubmodules': 'false',
  'fetch.writeCommitGraph': 'false',
  'transfer.bundleURI': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  // A pack is kept as it came: a file for each object would take more room than was counted.
  'fetch.unpackLimit': '1',
  'protocol.version': '2',
  // Memory: large files pass in pieces, and packs are mapped in parts.
  'core.bigFileThreshold': '16m',
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '128m',
  'core.deltaBaseCacheLimit': '64m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  // Redirects are followed before a repository is found, and not in the middle of it.
  'http.followRedirects': 'initial',
  'http.proxyAuthMethod': 'basic',
} as const;

/**
 * The environment of git: only what is here, so that neither the machine's configuration nor that of its users counts,
 * nobody is asked for a password, and git's messages are in English. `config` is passed here as well, and not as
 * arguments, which every user of the machine can read.
 */
export function gitEnvironment(
  folder: string,
  protocol: 'https' | 'ssh',
  config: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries({ ...CONFIG, ...config });
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: folder,
    TMPDIR: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    // The folder may be in a checkout, whose configuration would count.
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_CONFIG_COUNT: `${entries.length}`,
    ...Object.fromEntries(
      entries.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
    ...more,
  };
}
