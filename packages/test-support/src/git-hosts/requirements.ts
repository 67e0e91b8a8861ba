import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export const SSHD = '/usr/sbin/sshd';

const isThere = (program: string) => !spawnSync(program, ['--version']).error;

const isOptional = process.env.CI_REQUIRES_ALL !== '1';

const hasGit = isThere('git') && isThere('openssl');

/** Why tests with git, and its hosts over https, cannot be run here; false: they can, or have to. */
export const WITHOUT_GIT: string | false =
  isOptional && !hasGit ? 'git is not installed: apt-get install git openssl' : false;

/** Why tests with a host of ssh cannot be run here; false: they can, or have to. */
export const WITHOUT_SSHD: string | false =
  isOptional && !(hasGit && existsSync(SSHD))
    ? 'sshd is not installed: apt-get install git openssl openssh-server'
    : false;
