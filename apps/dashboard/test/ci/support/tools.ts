import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '@petstore/test-support/root.ts';

/** The folder of what a repository's CI runs. */
export const CI = join(ROOT, 'deploy/ci');

/** What its scripts need of a machine, and a runner of GitHub's has. */
const TOOLS = ['bash', 'curl', 'git', 'jq', 'tar'];

const missing = TOOLS.filter((tool) => spawnSync(tool, ['--version']).error);

/** Why the scripts cannot run here; false where they can. */
export const cannotRun: string | false =
  missing.length > 0 && `this machine lacks ${missing.join(', ')}`;
