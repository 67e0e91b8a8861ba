import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { sealerOf } from '../../../server/src/certificates/sealing.ts';
import { readKey } from '../../../server/src/certificates/secret-key.ts';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { openDatabase } from '../../../server/src/store/open-database.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { putCertificateRow } from '../../certificates/support/lab.ts';
import { authority } from '../../edge/support/certificates.ts';
import {
  OWNER,
  ownerToken,
  type RunningDashboard,
  serveDashboard,
} from '../../support/dashboard-program.ts';

export const SITE = 'petstore.docs.localhost';
/** A verified custom domain of the project, with a certificate. */
export const DOMAIN = 'docs.example.test';

export const databaseIn = (folder: string) => join(folder, 'data/dashboard.db');

/** Does a piece of work on the database of a folder, whether a service runs there or not. */
export async function onDatabase<T>(file: string, work: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = await openDatabase(`sqlite:${file}`, 1);
  try {
    return await work(db);
  } finally {
    await close();
  }
}

/** A service with an owner, the project `petstore` and all that is sealed. */
export async function walkedInstallation(t: Ending, folder: string) {
  let running: RunningDashboard = await serveDashboard(t, folder);
  const token = await ownerToken(folder);
  const call = async <T>(method: string, path: string, body?: unknown, cookie?: string) => {
    const { origin } = new URL(running.url);
    const isText = typeof body === 'string';
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: {
        ...(cookie ? { cookie, origin } : { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, response, value: (text ? JSON.parse(text) : null) as T };
  };
  const must = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const { status, value } = await call<T>(method, path, body);
    assert.ok(status < 300, JSON.stringify(value));
    return value;
  };
  const deployed = async (id: string): Promise<Deploy> => {
    const deadline = Date.now() + 180_000;
    for (;;) {
      const deploy = await must<Deploy>('GET', `/projects/petstore/deploys/${id}`);
      if (deploy.state === 'succeeded' || deploy.state === 'failed') return deploy;
      assert.ok(Date.now() < deadline, `stuck: ${JSON.stringify(deploy)}`);
      await sleep(20);
    }
  };
  await must('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  await onDatabase(databaseIn(folder), async (db) => {
    const { id } = await db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
    const domain = `dom_${DOMAIN}`;
    await db
      .insertInto('domains')
      .values({
        ...{ id: domain, project_id: id, hostname: DOMAIN, target_label: domain, proof: 'proof' },
        ...{ link_secret: domain, verified_at: 0, holds: 1, created_at: 0 },
        ...{ created_by_email: OWNER.email, hsts_include_subdomains: 0 },
      })
      .execute();
    const { chain, key } = await authority.issue(DOMAIN);
    const sealer = sealerOf(readKey(join(folder, 'data/secret.key')), 'the test');
    await putCertificateRow(db, domain, {
      ...{ hostname: DOMAIN, chain, sealed_key: sealer.seal(key, `certificate ${domain}`) },
      ...{ not_after: Date.now() + 3_600_000, renew_at: Date.now() + 3_600_000 },
    });
  });
  return {
    get running() {
      return running;
    },
    call,
    must,
    deployed,
    queue: (document: string) => must<Deploy>('POST', '/projects/petstore/deploys', document),
    /** Starts the service anew, in this folder or another one. */
    async start(where = folder) {
      running = await serveDashboard(t, where);
    },
    /** The cookie of a new session of the owner. */
    async signIn(): Promise<string> {
      const { origin } = new URL(running.url);
      const response = await fetch(`${origin}/api/session`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify(OWNER),
      });
      assert.equal(response.status, 200, await response.text());
      return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    },
  };
}
