import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { pino } from 'pino';
import { addressesOf } from '../../../server/src/addresses.ts';
import { sealerOf } from '../../../server/src/certificates/sealing.ts';
import { type Config, readConfig } from '../../../server/src/config.ts';
import { type DelivererDeps, startDeliverer } from '../../../server/src/notices/deliverer.ts';
import { EVENT_TYPES } from '../../../server/src/notices/event-types.ts';
import { type DomainNotice, queueDomainNotice } from '../../../server/src/notices/queue-notice.ts';
import { setMember } from '../../../server/src/store/members.ts';
import type { NoticeRow } from '../../../server/src/store/notices.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { insertUser } from '../../../server/src/store/users.ts';
import { insertWebhook, type WebhookRow } from '../../../server/src/store/webhooks.ts';
import { openTestDatabase, putProject } from '../../support/store.ts';

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const sealer = sealerOf(randomBytes(32), 'a test');

/** A deliverer on a database, with a clock that the test sets. */
export interface Delivery {
  readonly db: Db;
  readonly clock: { now: number };
  readonly logged: string[];
  /** Another process that delivers, until the test ends or it is stopped. */
  start(more?: Partial<DelivererDeps>): ReturnType<typeof startDeliverer>;
  /** Adds a webhook of the project; its id. */
  addWebhook(url: string, row?: Partial<WebhookRow>): Promise<string>;
  /** Has the project's webhooks and owners told of something. */
  tell(notice?: Partial<DomainNotice>): Promise<void>;
  notices(): Promise<NoticeRow[]>;
  webhook(id: string): Promise<WebhookRow>;
}

export const PROJECT = 'petstore';

export async function prepareDelivery(
  t: TestContext,
  overrides: Partial<Config> = {},
): Promise<Delivery> {
  const { db } = await openTestDatabase(t);
  const running: { stop(): Promise<void> }[] = [];
  // Before the database is closed: what is begun last ends first.
  cleanUp(t, () => Promise.all(running.map(({ stop }) => stop())));
  await putProject(db, PROJECT, 'pro');
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') };
  const config: Config = { ...readConfig({}), webhookPrivateAddresses: 'allow', ...overrides };
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => logged.push(line) });
  const now = () => clock.now;
  const addresses = () => addressesOf(config, { dashboard: 8081, edge: 8082, edgeHttps: 8443 });
  return {
    db,
    clock,
    logged,
    start(more = {}) {
      const deliverer = startDeliverer({ db, config, log, now, sealer, addresses, ...more });
      running.push(deliverer);
      return deliverer;
    },
    async addWebhook(url, row = {}) {
      const id = row.id ?? `whk_${randomBytes(4).toString('hex')}`;
      const webhook: WebhookRow = {
        id,
        project_id: PROJECT,
        url,
        sealed_secret: sealer.seal(SECRET, `webhook ${id}`),
        events: JSON.stringify(EVENT_TYPES),
        created_at: clock.now,
        created_by_email: 'ann@example.com',
        disabled_at: null,
        last_delivery: null,
        ...row,
      };
      await db.transaction().execute((trx) => insertWebhook(trx, webhook));
      return id;
    },
    async tell(notice = {}) {
      const told: DomainNotice = {
        type: 'domain.verified',
        projectId: PROJECT,
        hostname: 'docs.example.com',
        message: 'docs.example.com is verified.',
        ...notice,
      };
      await db.transaction().execute((trx) => queueDomainNotice(trx, clock.now, told));
    },
    notices: () => db.selectFrom('notices').selectAll().orderBy('id').execute(),
    webhook: (id) =>
      db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  };
}

export async function putOwner(db: Db, email: string, role: 'owner' | 'editor' = 'owner') {
  const user = {
    id: email,
    email,
    name: '',
    password_hash: '',
    role: 'user',
    created_at: 0,
  } as const;
  await db.transaction().execute(async (trx) => {
    await insertUser(trx, user);
    await setMember(trx, { project_id: PROJECT, user_id: email, role, created_at: 0 });
  });
}

/** Waits until something is so; fails when it never is. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `not in time: ${what}`);
    await sleep(5);
  }
}
