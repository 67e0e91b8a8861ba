import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyPort } from '@petstore/lab/ports.ts';
import { spawnChild } from '@petstore/test-support/children.ts';

const ADMIN = { username: 'admin', password: 'admin of the tests' };

/** It compiles itself when it first starts. */
const START_TIMEOUT_MS = 180_000;

export interface Keycloak {
  readonly origin: string;
  /** A request to its administration, below `/admin/realms`. Rejects where it refuses. */
  admin(method: string, path: string, body?: unknown): Promise<Response>;
}

/** Keycloak, in memory, of the folder that KEYCLOAK_HOME names. */
export async function startKeycloak(t: TestContext): Promise<Keycloak> {
  const home = process.env.KEYCLOAK_HOME;
  if (!home) throw new Error('KEYCLOAK_HOME is not set: run "npm run test:keycloak"');
  const port = await anyPort([]);
  const origin = `http://127.0.0.1:${port}`;
  const options = ['--db=dev-mem', '--http-host=127.0.0.1', `--http-port=${port}`];
  const child = spawnChild(t, 'bash', [join(home, 'bin/kc.sh'), 'start-dev', ...options], {
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-5_000);
    });
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const response = await fetch(`${origin}/realms/master`).catch(() => undefined);
    if (response?.ok) break;
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`Keycloak did not start: ${said}`);
    await sleep(250);
  }
  return {
    origin,
    async admin(method, path, body) {
      const form = { grant_type: 'password', client_id: 'admin-cli', ...ADMIN };
      const token = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      const { access_token } = (await token.json()) as { access_token: string };
      const response = await fetch(`${origin}/admin/realms${path}`, {
        method,
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok)
        throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response;
    },
  };
}
