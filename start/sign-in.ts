import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface SignIn {
  readonly email: string;
  readonly password: string;
}

const EMAIL = 'owner@localhost';

/**
 * The dashboard's first sign-in, kept in a file of the data folder from before the account is made until
 * the first start is done: one that is interrupted anywhere is gone on with by the next.
 */
export interface KeptSignIn {
  /** Undefined where no first start is under way. */
  read(): SignIn | undefined;
  make(): SignIn;
  forget(): void;
}

/** The first sign-in of the dashboard with these settings. */
export function keptSignIn(env: NodeJS.ProcessEnv): KeptSignIn {
  const folder = resolve(env.DASHBOARD_DATA_DIR || 'data');
  const path = join(folder, 'first-start.json');
  return {
    read() {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as SignIn;
      } catch {
        // None, or one that was being written: then its account was not made yet.
        return undefined;
      }
    },
    make() {
      const signIn = { email: EMAIL, password: randomBytes(12).toString('base64url') };
      mkdirSync(folder, { recursive: true });
      rmSync(path, { force: true });
      writeFileSync(path, JSON.stringify(signIn), { mode: 0o600, flush: true });
      return signIn;
    },
    forget() {
      rmSync(path, { force: true });
    },
  };
}
