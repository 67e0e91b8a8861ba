import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export const SSHD = '/usr/sbin/sshd';

const isThere = (program: string) => !spawnSync(program, ['--version']).error;

const isOptional = process.env.CI_REQUIRES_ALL !== '1';

/** Why tests with git cannot be run here; false: they can, or have to. */
export const WITHOUT_GIT: string | false =
  isOptional && !isThere('git') ? 'git is not installed: apt-get install git' : false;

/** Why tests with a host of ssh cannot be run here; false: they can, or have to. */
export const WITHOUT_SSHD: string | false =
  isOptional && !(isThere('git') && existsSync(SSHD))
    ? 'sshd is not installed: apt-get install git openssh-server'
    : false;
