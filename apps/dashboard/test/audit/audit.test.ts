import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NameServer } from '@petstore/lab/name-server/name-server.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Session } from '../../server/src/accounts/account.ts';
import type { AuthenticatorAppDraft } from '../../server/src/accounts/factors/factor.ts';
import { hashSecret, makeSecret } from '../../server/src/accounts/secrets.ts';
import { makeSignInLink } from '../../server/src/accounts/sign-in-links.ts';
import { OPERATOR } from '../../server/src/audit/actor.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { findProject } from '../../server/src/store/projects.ts';
import { codeOf, factorsOf, optionsOf, withPassword } from '../accounts/support/factors.ts';
import { SoftwarePasskey } from '../accounts/support/software-passkey.ts';
import {
  addDomain,
  createRecords,
  getDomain,
  startDomainService,
} from '../domains/support/domains.ts';
import { operationsOf, readApiDocument } from '../support/api-document.ts';
import {
  createProject,
  deploy,
  documentTitled,
  idOf,
  invite,
  joinAs,
  makeToken,
} from '../support/project.ts';
import {
  assertError,
  json,
  PASSWORD,
  type Service,
  signIn,
  startService,
  type Visitor,
  visitorOf,
} from '../support/service.ts';

interface World {
  readonly service: Service;
  /** Owns the installation and the project `pets`. */
  readonly root: Visitor;
  readonly dns: NameServer;
}

/** A change: what it is recorded as, of what, and how it is made; what it needs first comes before. */
interface Change {
  readonly action: string;
  readonly target: string;
  readonly make: (world: World) => Promise<() => Promise<Response>>;
}

const ROOT = 'root@example.com';
const GUEST = 'guest@example.com';
const DOMAIN = 'docs.example.test';
const OTHER_DOMAIN = 'api.example.test';
/** They change nothing: they send a message, or ask somebody. */
const SEND_ALONE = [
  'POST /api/projects/{slug}/webhooks/{id}/test',
  'POST /api/projects/{slug}/webhooks/{id}/deliveries/{deliveryId}/send',
  // They ask the host of a repository for new commits.
  'POST /api/projects/{slug}/repository/check',
  'POST /api/git/{id}',
  // It leads to a site.
  'POST /api/site-sign-in',
  // It mails a link, which is recorded when it is made: accounts/account-links.test.ts.
  'POST /api/forgotten-password',
  // It reads: the secret of a link is in a body, and not in an address.
  'POST /api/account-links/look-up',
  // They ask a browser, an app or a person for something.
  'POST /api/session/passkey/options',
  'POST /api/session/second-factor/passkey/options',
  'POST /api/session/set-up/passkey/options',
  'POST /api/session/set-up/authenticator-app/draft',
  'POST /api/session/confirmation',
  'POST /api/session/confirmation/passkey/options',
  'POST /api/session/confirmation/passkey',
  'POST /api/account/passkeys/options',
  'POST /api/account/authenticator-app/draft',
  'DELETE /api/account/factors/guessing',
  // What had not begun ends.
  'DELETE /api/session/pending',
  // What a person sees of their own home page.
  'DELETE /api/account/first-steps',
  // They ask a provider.
  'POST /api/oidc/{provider}/start',
  'POST /api/account/identities/{provider}/start',
  'POST /api/session/confirmation/providers/{provider}/start',
  'POST /api/installation/sign-in/{provider}/check',
  // It asks the DNS.
  'POST /api/projects/{slug}/dns-simulation',
];
/** What they write down is asked in test/oidc: they need a provider. */
const WITH_PROVIDER = [
  'POST /api/oidc/pending-link',
  'POST /api/oidc/{provider}/backchannel-logout',
];
/** They are written down twice: a factor is added, and a session begins (accounts/factors.test.ts). */
const TWO_IN_ONE = [
  'POST /api/session/set-up/passkey',
  'POST /api/session/set-up/authenticator-app',
];
/** Who verifies by the link has no account. */
const BY_LINK = 'POST /api/domain-links/{secret}/verify';

/** Who has a link of an account is its owner, and not signed in. */
const BY_ACCOUNT_LINK = ['POST /api/account-links/password', 'POST /api/account-links/email'];

const at =
  (method: string, path: string, body?: unknown) =>
  async ({ root }: World) =>
  () =>
    root.call(method, path, body);

/** Of the app that the owner has meanwhile. */
let appSecret = '';

/** Passkeys are for names: a browser that came by this one. */
const localVisitor = ({ origin }: Service) => visitorOf(origin.replace('127.0.0.1', 'localhost'));

/** By the service's database: a later service may have the port of an earlier one. */
const passkeys = new WeakMap<Service['db'], SoftwarePasskey>();

/** The owner in such a browser, and their one passkey. */
async function atLocalhost(service: Service) {
  const { db, origin } = service;
  const here = passkeys.get(db);
  const visitor = localVisitor(service);
  if (here) return { visitor, passkey: here };
  const passkey = new SoftwarePasskey(origin.replace('127.0.0.1', 'localhost'));
  passkeys.set(db, passkey);
  await json(await visitor.call('POST', '/api/session', { email: ROOT, password: PASSWORD }));
  return { visitor, passkey };
}

/** Every operation that changes something, in an order in which each can be made. */
const CHANGES: Record<string, Change> = {
  'PATCH /api/account': {
    action: 'account.rename',
    target: ROOT,
    make: at('PATCH', '/api/account', { name: 'Ann' }),
  },
  'POST /api/account/password': {
    action: 'account.password',
    target: ROOT,
    make: at('POST', '/api/account/password', { current: PASSWORD, next: PASSWORD }),
  },
  'POST /api/session': {
    action: 'session.begin',
    target: ROOT,
    make: async ({ service }) => {
      const someone = service.visitor();
      return () => someone.call('POST', '/api/session', { email: ROOT, password: PASSWORD });
    },
  },
  'PUT /api/account/authenticator-app': {
    action: 'authenticator.add',
    target: ROOT,
    make: async ({ root }) => {
      const drafted = await root.call('POST', '/api/account/authenticator-app/draft');
      const { secret, draft } = await json<AuthenticatorAppDraft>(drafted);
      appSecret = secret;
      const body = { draft, code: codeOf(secret, Date.now()) };
      return () => root.call('PUT', '/api/account/authenticator-app', body);
    },
  },
  'POST /api/account/recovery-codes': {
    action: 'recovery_codes.create',
    target: ROOT,
    make: at('POST', '/api/account/recovery-codes'),
  },
  'POST /api/session/second-factor/code': {
    action: 'session.begin',
    target: ROOT,
    make: async ({ service }) => {
      const half = await withPassword(service, ROOT);
      // The next step's: the first one was used.
      const code = codeOf(appSecret, Date.now() + 30_000);
      return () => half.call('POST', '/api/session/second-factor/code', { code });
    },
  },
  'POST /api/session/second-factor/recovery-code': {
    action: 'session.begin',
    target: ROOT,
    make: async ({ service, root }) => {
      const made = await root.call('POST', '/api/account/recovery-codes');
      const { codes } = await json<{ codes: string[] }>(made, 201);
      const half = await withPassword(service, ROOT);
      const [code] = codes;
      return () => half.call('POST', '/api/session/second-factor/recovery-code', { code });
    },
  },
  'PUT /api/installation/quotas/{quota}/{target}': {
    action: 'quota.set',
    target: 'bytes',
    make: at('PUT', '/api/installation/quotas/bytes/plan:enterprise', { most: null }),
  },
  'DELETE /api/installation/quotas/{quota}/{target}': {
    action: 'quota.set',
    target: 'bytes',
    make: at('DELETE', '/api/installation/quotas/bytes/plan:enterprise'),
  },
  'PUT /api/installation/security': {
    action: 'security.update',
    target: 'the installation',
    make: at('PUT', '/api/installation/security', {
      secondFactor: 'optional',
      afterProvider: true,
    }),
  },
  'DELETE /api/account/authenticator-app': {
    action: 'authenticator.remove',
    target: ROOT,
    make: at('DELETE', '/api/account/authenticator-app'),
  },
  'POST /api/account/passkeys': {
    action: 'passkey.add',
    target: 'Passkey',
    make: async ({ service }) => {
      const { visitor, passkey } = await atLocalhost(service);
      const created = passkey.create(await optionsOf(visitor, '/account/passkeys'));
      return () => visitor.call('POST', '/api/account/passkeys', created);
    },
  },
  'PATCH /api/account/passkeys/{id}': {
    action: 'passkey.rename',
    target: 'Phone',
    make: async ({ root }) => {
      const [passkey] = (await factorsOf(root)).passkeys;
      return () => root.call('PATCH', `/api/account/passkeys/${passkey?.id}`, { name: 'Phone' });
    },
  },
  'POST /api/session/passkey': {
    action: 'session.begin',
    target: ROOT,
    make: async ({ service }) => {
      const { passkey } = await atLocalhost(service);
      const visitor = localVisitor(service);
      const signed = passkey.get(await optionsOf(visitor, '/session/passkey'));
      return () => visitor.call('POST', '/api/session/passkey', signed);
    },
  },
  'POST /api/session/second-factor/passkey': {
    action: 'session.begin',
    target: ROOT,
    make: async ({ service }) => {
      const { passkey } = await atLocalhost(service);
      const visitor = localVisitor(service);
      await json(
        await visitor.call('POST', '/api/session', { email: ROOT, password: PASSWORD }),
        202,
      );
      const signed = passkey.get(await optionsOf(visitor, '/session/second-factor/passkey'));
      return () => visitor.call('POST', '/api/session/second-factor/passkey', signed);
    },
  },
  'DELETE /api/account/passkeys/{id}': {
    action: 'passkey.remove',
    target: 'Phone',
    make: async ({ root }) => {
      const [passkey] = (await factorsOf(root)).passkeys;
      return () => root.call('DELETE', `/api/account/passkeys/${passkey?.id}`);
    },
  },
  'POST /api/session/link': {
    action: 'session.begin',
    target: ROOT,
    make: async ({ service }) => {
      const user = await service.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
      const deps = { db: service.db, now: Date.now, addresses: () => service.addresses };
      const { link } = await makeSignInLink(deps, user, OPERATOR);
      const secret = link.split('#')[1];
      return () => service.visitor().call('POST', '/api/session/link', { secret });
    },
  },
  'DELETE /api/account/identities/{id}': {
    action: 'identity.unlink',
    target: ROOT,
    make: async ({ service, root }) => {
      const { id: user_id } = await service.db
        .selectFrom('users')
        .select('id')
        .executeTakeFirstOrThrow();
      const of = { id: 'idn_1', user_id, provider: 'acme', email: null, created_at: 0 };
      const row = { ...of, issuer: 'https://acme.example', subject: '1', last_used_at: null };
      await service.db.insertInto('identities').values(row).execute();
      return () => root.call('DELETE', '/api/account/identities/idn_1');
    },
  },
  'DELETE /api/account/sessions/{id}': {
    action: 'session.end',
    target: ROOT,
    make: async ({ root }) => {
      const { items } = await json<Page<Session>>(await root.call('GET', '/api/account/sessions'));
      const other = items.find(({ isCurrent }) => !isCurrent);
      return () => root.call('DELETE', `/api/account/sessions/${other?.id}`);
    },
  },
  'DELETE /api/account/sessions': {
    action: 'session.end',
    target: ROOT,
    make: async ({ service, root }) => {
      await signIn(service);
      await signIn(service);
      return () => root.call('DELETE', '/api/account/sessions');
    },
  },
  'DELETE /api/session': {
    action: 'session.end',
    target: ROOT,
    make: async ({ service }) => {
      const someone = await signIn(service);
      return () => someone.call('DELETE', '/api/session');
    },
  },
  'POST /api/account/tokens': {
    action: 'token.create',
    target: 'CI',
    make: at('POST', '/api/account/tokens', { name: 'CI' }),
  },
  'DELETE /api/account/tokens/{id}': {
    action: 'token.revoke',
    target: 'for a test',
    make: async ({ root }) => {
      const { id } = await makeToken(root, 'pets');
      return () => root.call('DELETE', `/api/account/tokens/${id}`);
    },
  },
  'POST /api/projects': {
    action: 'project.create',
    target: 'other',
    make: at('POST', '/api/projects', { name: 'Other', slug: 'other' }),
  },
  'DELETE /api/projects/{slug}/moved-addresses/{address}': {
    action: 'project.end_redirect',
    target: 'former',
    make: async ({ service, root }) => {
      const found = await findProject(service.db, 'pets', null);
      const project_id = found?.project.id ?? '';
      const reservation = { reserved_until: Date.now() + 60_000, project_id, owner_ids: '[]' };
      await service.db
        .insertInto('reserved_labels')
        .values({ label: 'former', ...reservation })
        .execute();
      return () => root.call('DELETE', '/api/projects/pets/moved-addresses/former');
    },
  },
  'PATCH /api/projects/{slug}': {
    action: 'project.update',
    target: 'other',
    make: at('PATCH', '/api/projects/other', { slug: 'moved' }),
  },
  'DELETE /api/projects/{slug}': {
    action: 'project.delete',
    target: 'moved',
    make: at('DELETE', '/api/projects/moved', { confirm: 'moved' }),
  },
  'PUT /api/projects/{slug}/plan': {
    action: 'project.plan',
    target: 'pets',
    make: at('PUT', '/api/projects/pets/plan', { plan: 'pro' }),
  },
  'POST /api/projects/{slug}/invitations': {
    action: 'invitation.create',
    target: GUEST,
    make: at('POST', '/api/projects/pets/invitations', { email: GUEST, role: 'editor' }),
  },
  'DELETE /api/projects/{slug}/invitations/{id}': {
    action: 'invitation.revoke',
    target: GUEST,
    make: async ({ service, root }) => {
      const open = service.db.selectFrom('invitations').select('id').where('email', '=', GUEST);
      const { id } = await open.executeTakeFirstOrThrow();
      return () => root.call('DELETE', `/api/projects/pets/invitations/${id}`);
    },
  },
  'POST /api/sign-up': {
    action: 'account.create',
    target: GUEST,
    make: async ({ service, root }) => {
      const invitation = await invite(root, 'pets', GUEST);
      const body = { email: GUEST, password: PASSWORD, name: 'Guest', invitation };
      return () => service.visitor().call('POST', '/api/sign-up', body);
    },
  },
  'POST /api/invitations/{secret}/accept': {
    action: 'invitation.accept',
    target: GUEST,
    make: async ({ service, root }) => {
      const secret = await invite(root, 'pets', GUEST, 'editor');
      const guest = await signIn(service, GUEST);
      return () => guest.call('POST', `/api/invitations/${secret}/accept`);
    },
  },
  'POST /api/installation/groups': {
    action: 'group.create',
    target: 'Engineering',
    make: at('POST', '/api/installation/groups', { name: 'Engineering' }),
  },
  'PATCH /api/installation/groups/{groupId}': {
    action: 'group.update',
    target: 'Engineering',
    make: async ({ service, root }) => {
      const path = `/api/installation/groups/${await groupId(service)}`;
      return () => root.call('PATCH', path, { name: 'Makers' });
    },
  },
  'POST /api/installation/groups/{groupId}/members': {
    action: 'group.members',
    target: 'Makers',
    make: async ({ service, root }) => {
      const path = `/api/installation/groups/${await groupId(service)}/members`;
      return () => root.call('POST', path, { email: ROOT });
    },
  },
  'PUT /api/projects/{slug}/groups/{groupId}': {
    action: 'group.role',
    target: 'Makers',
    make: async ({ service, root }) => {
      const path = `/api/projects/pets/groups/${await groupId(service)}`;
      return () => root.call('PUT', path, { role: 'viewer' });
    },
  },
  'DELETE /api/projects/{slug}/groups/{groupId}': {
    action: 'group.role',
    target: 'Makers',
    make: async ({ service, root }) => {
      const path = `/api/projects/pets/groups/${await groupId(service)}`;
      return () => root.call('DELETE', path);
    },
  },
  'DELETE /api/installation/groups/{groupId}/members/{memberId}': {
    action: 'group.members',
    target: 'Makers',
    make: async ({ service, root }) => {
      const path = `/api/installation/groups/${await groupId(service)}/members/${await idOf(root)}`;
      return () => root.call('DELETE', path);
    },
  },
  'DELETE /api/installation/groups/{groupId}': {
    action: 'group.delete',
    target: 'Makers',
    make: async ({ service, root }) => {
      const path = `/api/installation/groups/${await groupId(service)}`;
      return () => root.call('DELETE', path);
    },
  },
  'POST /api/installation/scim-tokens': {
    action: 'scim_token.create',
    target: 'Directory',
    make: at('POST', '/api/installation/scim-tokens', { name: 'Directory' }),
  },
  'DELETE /api/installation/scim-tokens/{id}': {
    action: 'scim_token.revoke',
    target: 'Directory',
    make: async ({ service, root }) => {
      const { id } = await service.db
        .selectFrom('scim_tokens')
        .select('id')
        .executeTakeFirstOrThrow();
      return () => root.call('DELETE', `/api/installation/scim-tokens/${id}`);
    },
  },
  'PATCH /api/projects/{slug}/members/{userId}': {
    action: 'member.role',
    target: GUEST,
    make: async ({ service, root }) => {
      const id = await idOf(await signIn(service, GUEST));
      return () => root.call('PATCH', `/api/projects/pets/members/${id}`, { role: 'viewer' });
    },
  },
  'DELETE /api/projects/{slug}/members/{userId}': {
    action: 'member.remove',
    target: GUEST,
    make: async ({ service, root }) => {
      const id = await idOf(await signIn(service, GUEST));
      return () => root.call('DELETE', `/api/projects/pets/members/${id}`);
    },
  },
  'POST /api/projects/{slug}/tokens': {
    action: 'token.create',
    target: 'CI',
    make: at('POST', '/api/projects/pets/tokens', { name: 'CI' }),
  },
  'DELETE /api/projects/{slug}/tokens/{id}': {
    action: 'token.revoke',
    target: 'for a test',
    make: async ({ root }) => {
      const { id } = await makeToken(root, 'pets');
      return () => root.call('DELETE', `/api/projects/pets/tokens/${id}`);
    },
  },
  'POST /api/projects/{slug}/deploys': {
    action: 'deploy.create',
    target: '#1',
    make: at('POST', '/api/projects/pets/deploys', documentTitled('Pets')),
  },
  'POST /api/projects/{slug}/deploys/{id}/activate': {
    action: 'deploy.activate',
    target: '#2',
    make: async ({ root }) => {
      const { id } = await deploy(root, 'pets', documentTitled('Pets'), '?activate=false');
      return () => root.call('POST', `/api/projects/pets/deploys/${id}/activate`);
    },
  },
  'DELETE /api/projects/{slug}/deploys/{id}/files': {
    action: 'deploy.remove_files',
    target: '#3',
    make: async ({ root }) => {
      const { id } = await deploy(root, 'pets', documentTitled('Old'), '?activate=false');
      return () => root.call('DELETE', `/api/projects/pets/deploys/${id}/files`);
    },
  },
  'DELETE /api/projects/{slug}/previews/{branch}': {
    action: 'preview.delete',
    target: 'feature',
    make: async ({ root }) => {
      await deploy(root, 'pets', documentTitled('Branch'), '?branch=feature');
      return () => root.call('DELETE', '/api/projects/pets/previews/feature');
    },
  },
  'PATCH /api/projects/{slug}/versions/{version}': {
    action: 'version.default',
    target: 'v1',
    make: async ({ root }) => {
      await deploy(root, 'pets', documentTitled('Version'), '?version=v1');
      return () => root.call('PATCH', '/api/projects/pets/versions/v1', { default: true });
    },
  },
  'DELETE /api/projects/{slug}/versions/{version}': {
    action: 'version.retire',
    target: 'v2',
    make: async ({ root }) => {
      await deploy(root, 'pets', documentTitled('Version'), '?version=v2');
      return () => root.call('DELETE', '/api/projects/pets/versions/v2');
    },
  },
  'PATCH /api/projects/{slug}/access': {
    action: 'access.update',
    target: 'pets',
    make: at('PATCH', '/api/projects/pets/access', { private: 'previews' }),
  },
  'PUT /api/projects/{slug}/access/password': {
    action: 'access.password',
    target: 'pets',
    make: at('PUT', '/api/projects/pets/access/password', { password: 'a shared password' }),
  },
  'DELETE /api/projects/{slug}/access/password': {
    action: 'access.password_remove',
    target: 'pets',
    make: at('DELETE', '/api/projects/pets/access/password'),
  },
  'POST /api/projects/{slug}/access/keys': {
    action: 'access.key_add',
    target: 'portal',
    make: at('POST', '/api/projects/pets/access/keys', {
      kid: 'portal',
      publicKey: JSON.stringify({
        ...{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
      }),
    }),
  },
  'DELETE /api/projects/{slug}/access/keys/{id}': {
    action: 'access.key_remove',
    target: 'portal',
    make: async ({ service, root }) => {
      const keys = service.db.selectFrom('site_access_keys');
      const { id } = await keys.select('id').executeTakeFirstOrThrow();
      return () => root.call('DELETE', `/api/projects/pets/access/keys/${id}`);
    },
  },
  'DELETE /api/projects/{slug}/access/sessions': {
    action: 'access.sign_out',
    target: 'pets',
    make: at('DELETE', '/api/projects/pets/access/sessions'),
  },
  'DELETE /api/projects/{slug}/readers': {
    action: 'readers.clear',
    target: 'pets',
    make: at('DELETE', '/api/projects/pets/readers'),
  },
  'DELETE /api/projects/{slug}/readers/sentences/{id}': {
    action: 'readers.delete_sentence',
    target: '/guides/start',
    make: async ({ service, root }) => {
      const project = service.db.selectFrom('projects').select('id').where('slug', '=', 'pets');
      const { id: project_id } = await project.executeTakeFirstOrThrow();
      const { id } = await service.db
        .insertInto('reader_sentences')
        .values({ project_id, day: 0, page: '/guides/start', helpful: 0, text: 'Unclear.' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return () => root.call('DELETE', `/api/projects/pets/readers/sentences/${id}`);
    },
  },
  'POST /api/projects/{slug}/change-exceptions': {
    action: 'exception.create',
    target: 'operation-removed of every operation',
    make: at('POST', '/api/projects/pets/change-exceptions', {
      ...{ code: 'operation-removed', reason: 'Nobody calls it.', until: '2999-12-31' },
    }),
  },
  'DELETE /api/projects/{slug}/change-exceptions/{id}': {
    action: 'exception.end',
    target: 'operation-removed of every operation',
    make: async ({ service, root }) => {
      const exceptions = service.db.selectFrom('change_exceptions');
      const { id } = await exceptions.select('id').executeTakeFirstOrThrow();
      return () => root.call('DELETE', `/api/projects/pets/change-exceptions/${id}`);
    },
  },
  'PUT /api/projects/{slug}/repository': {
    action: 'repository.connect',
    target: 'https://127.0.0.1:9/pets.git',
    make: at('PUT', '/api/projects/pets/repository', { url: 'https://127.0.0.1:9/pets.git' }),
  },
  'POST /api/projects/{slug}/repository/webhook-secret': {
    action: 'repository.secret',
    target: 'https://127.0.0.1:9/pets.git',
    make: at('POST', '/api/projects/pets/repository/webhook-secret'),
  },
  'DELETE /api/projects/{slug}/repository/host-keys': {
    action: 'repository.host_keys',
    target: 'https://127.0.0.1:9/pets.git',
    make: at('DELETE', '/api/projects/pets/repository/host-keys'),
  },
  'DELETE /api/projects/{slug}/repository': {
    action: 'repository.disconnect',
    target: 'https://127.0.0.1:9/pets.git',
    make: at('DELETE', '/api/projects/pets/repository'),
  },
  'POST /api/projects/{slug}/webhooks': {
    action: 'webhook.create',
    target: 'hooks.example.test',
    make: at('POST', '/api/projects/pets/webhooks', { url: 'https://hooks.example.test/a/secret' }),
  },
  'PATCH /api/projects/{slug}/webhooks/{id}': {
    action: 'webhook.update',
    target: 'hooks.example.test',
    make: async ({ service, root }) => {
      const { id } = await service.db.selectFrom('webhooks').select('id').executeTakeFirstOrThrow();
      const events = ['deploy.live'];
      return () => root.call('PATCH', `/api/projects/pets/webhooks/${id}`, { events });
    },
  },
  'DELETE /api/projects/{slug}/webhooks/{id}': {
    action: 'webhook.delete',
    target: 'hooks.example.test',
    make: async ({ service, root }) => {
      const { id } = await service.db.selectFrom('webhooks').select('id').executeTakeFirstOrThrow();
      return () => root.call('DELETE', `/api/projects/pets/webhooks/${id}`);
    },
  },
  'POST /api/projects/{slug}/domains': {
    action: 'domain.add',
    target: DOMAIN,
    make: at('POST', '/api/projects/pets/domains', { hostname: DOMAIN }),
  },
  'POST /api/projects/{slug}/domains/{hostname}/verify': {
    action: 'domain.verify',
    target: DOMAIN,
    make: async ({ root, dns }) => {
      createRecords(dns, await checkedDomain(root, DOMAIN));
      return () => root.call('POST', `/api/projects/pets/domains/${DOMAIN}/verify`);
    },
  },
  'POST /api/projects/{slug}/domains/{hostname}/primary': {
    action: 'domain.primary',
    target: DOMAIN,
    make: async ({ service, root }) => {
      // The first that is verified is the primary one by itself.
      await service.db.updateTable('projects').set({ primary_domain_id: null }).execute();
      return () => root.call('POST', `/api/projects/pets/domains/${DOMAIN}/primary`);
    },
  },
  'PATCH /api/projects/{slug}/domains/{hostname}': {
    action: 'domain.update',
    target: DOMAIN,
    make: at('PATCH', `/api/projects/pets/domains/${DOMAIN}`, {
      hsts: { maxAgeSeconds: 300, includeSubdomains: false },
    }),
  },
  'POST /api/projects/{slug}/domains/{hostname}/link': {
    action: 'domain.link',
    target: DOMAIN,
    make: at('POST', `/api/projects/pets/domains/${DOMAIN}/link`),
  },
  'POST /api/projects/{slug}/domains/{hostname}/rehearsals': {
    action: 'domain.rehearse',
    target: DOMAIN,
    make: at('POST', `/api/projects/pets/domains/${DOMAIN}/rehearsals`),
  },
  [BY_LINK]: {
    action: 'domain.verify',
    target: OTHER_DOMAIN,
    make: async ({ service, root, dns }) => {
      await addDomain(root, 'pets', OTHER_DOMAIN);
      const domain = await checkedDomain(root, OTHER_DOMAIN);
      createRecords(dns, domain);
      const secret = domain.link?.replace(/^.*\/d\//, '');
      return () => service.visitor().call('POST', `/api/domain-links/${secret}/verify`);
    },
  },
  'DELETE /api/projects/{slug}/domains/{hostname}': {
    action: 'domain.remove',
    target: DOMAIN,
    make: at('DELETE', `/api/projects/pets/domains/${DOMAIN}`),
  },
  'POST /api/account/email': {
    action: 'account.email',
    target: 'other@example.com',
    make: async ({ service }) => {
      const guest = await signIn(service, GUEST);
      const body = { email: 'other@example.com', password: PASSWORD };
      return () => guest.call('POST', '/api/account/email', body);
    },
  },
  'PUT /api/installation/users/{id}/email': {
    action: 'account.email',
    target: GUEST,
    make: async ({ service, root }) => {
      const id = await idOf(await signIn(service, 'other@example.com'));
      return () => root.call('PUT', `/api/installation/users/${id}/email`, { email: GUEST });
    },
  },
  'DELETE /api/account/email': {
    action: 'account.email_keep',
    target: GUEST,
    make: async ({ service }) => {
      const guest = await signIn(service, GUEST);
      await putLink(service, 'email');
      return () => guest.call('DELETE', '/api/account/email');
    },
  },
  'POST /api/account-links/email': {
    action: 'account.email',
    target: GUEST,
    make: async ({ service }) => {
      await service.db
        .updateTable('users')
        .set({ email: 'x' })
        .where('email', '=', GUEST)
        .execute();
      const secret = await putLink(service, 'email', 'x');
      return () => service.visitor().call('POST', '/api/account-links/email', { secret });
    },
  },
  'POST /api/installation/users/{id}/password-link': {
    action: 'account.password_link',
    target: GUEST,
    make: async ({ service, root }) => {
      const id = await idOf(await signIn(service, GUEST));
      return () => root.call('POST', `/api/installation/users/${id}/password-link`);
    },
  },
  'POST /api/account-links/password': {
    action: 'account.password',
    target: GUEST,
    make: async ({ service }) => {
      const secret = await putLink(service, 'password');
      const body = { secret, password: PASSWORD };
      return () => service.visitor().call('POST', '/api/account-links/password', body);
    },
  },
  'POST /api/account/claim': {
    action: 'account.email',
    target: GUEST,
    make: async ({ service }) => {
      const user = service.db.updateTable('users').where('email', '=', GUEST);
      await user.set({ email: 'owner@localhost', is_provisional: 1 }).execute();
      const guest = await signIn(service, 'owner@localhost');
      const body = { email: GUEST, name: 'Guest', password: PASSWORD };
      return () => guest.call('POST', '/api/account/claim', body);
    },
  },
  'POST /api/installation/users/{id}/disable': {
    action: 'account.disable',
    target: GUEST,
    make: async ({ service, root }) => {
      const id = await idOf(await signIn(service, GUEST));
      return () => root.call('POST', `/api/installation/users/${id}/disable`);
    },
  },
  'POST /api/installation/users/{id}/enable': {
    action: 'account.enable',
    target: GUEST,
    make: async ({ service, root }) => {
      const id = await guestId(service);
      return () => root.call('POST', `/api/installation/users/${id}/enable`);
    },
  },
  'POST /api/installation/owner': {
    action: 'installation.hand_over',
    target: GUEST,
    make: async ({ service, root }) => {
      const userId = await guestId(service);
      return async () => {
        const answer = await root.call('POST', '/api/installation/owner', { userId });
        // The tests that follow are Root's.
        const users = service.db.updateTable('users');
        await users.set({ role: 'user' }).execute();
        await users.set({ role: 'owner' }).where('email', '=', ROOT).execute();
        return answer;
      };
    },
  },
  'POST /api/installation/users/{id}/remove': {
    action: 'account.remove',
    target: GUEST,
    make: async ({ service, root }) => {
      const id = await guestId(service);
      return () => root.call('POST', `/api/installation/users/${id}/remove`, {});
    },
  },
};

async function groupId({ db }: Service): Promise<string> {
  return (await db.selectFrom('groups').select('id').executeTakeFirstOrThrow()).id;
}

async function guestId({ db }: Service): Promise<string> {
  const guest = db.selectFrom('users').select('id').where('email', '=', GUEST);
  return (await guest.executeTakeFirstOrThrow()).id;
}

/** A link of the guest, or of whoever has that address, to set a password or to have the guest's address; its secret. */
async function putLink({ db }: Service, kind: 'email' | 'password', of = GUEST): Promise<string> {
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', of)
    .executeTakeFirstOrThrow();
  await db.deleteFrom('account_links').where('user_id', '=', id).execute();
  const secret = makeSecret();
  const link = { user_id: id, kind, token_hash: hashSecret(secret), email: GUEST };
  // There may be one, which it replaces.
  await db.deleteFrom('account_links').where('user_id', '=', id).execute();
  await db
    .insertInto('account_links')
    .values({ ...link, created_at: 0, expires_at: Date.now() + 60_000 })
    .execute();
  return secret;
}

/** A domain once the check that adding it brings about is over: it would find the records, too. */
async function checkedDomain(root: Visitor, hostname: string): Promise<Domain> {
  for (;;) {
    const domain = await getDomain(root, 'pets', hostname);
    if (domain.checkedAt !== null) return domain;
    await sleep(20);
  }
}

/** What people did, without what the service did of itself; the newest first. */
async function entriesOf(root: Visitor): Promise<AuditEntry[]> {
  const page = await json<Page<AuditEntry>>(await root.call('GET', '/api/audit?limit=100'));
  return page.items.filter(({ via }) => via !== 'system');
}

onBothEngines(
  'every change is written down once, with who, what, when and from where',
  async (t) => {
    const service = await startDomainService(t);
    const { root, dns } = service;
    await createProject(root, 'pets');
    const operations = operationsOf(await readApiDocument(service));
    const changing = operations.filter(
      (operation) =>
        !operation.startsWith('GET ') &&
        ![...SEND_ALONE, ...TWO_IN_ONE, ...WITH_PROVIDER].includes(operation),
    );
    assert.deepEqual(Object.keys(CHANGES).sort(), changing.sort());

    for (const [operation, { action, target, make }] of Object.entries(CHANGES)) {
      const change = await make({ service, root, dns });
      const [before] = await entriesOf(root);
      const answer = await change();
      assert.ok(answer.ok, `${operation}: ${answer.status} ${await answer.text()}`);
      const added = (await entriesOf(root)).filter(({ id }) => id > (before?.id ?? 0));
      assert.deepEqual(
        added.map((entry) => entry.action),
        [action],
        operation,
      );
      const [entry] = added as [AuditEntry];
      assert.equal(entry.target, target, operation);
      const isNobody = ['POST /api/sign-up', BY_LINK, ...BY_ACCOUNT_LINK].includes(operation);
      const actors =
        operation === BY_LINK ? ['whoever has the link'] : [ROOT, GUEST, 'owner@localhost', 'x'];
      assert.ok(actors.includes(entry.actor), operation);
      assert.equal(entry.via, isNobody ? 'none' : 'session', operation);
      assert.equal(entry.ip, '127.0.0.1');
      assert.ok(Math.abs(Date.parse(entry.at) - Date.now()) < 10_000);
      const isOfProject = operation.includes('/projects/{slug}/') || target === 'other';
      if (isOfProject && action !== 'project.update') {
        assert.equal(entry.project, target === 'other' ? 'other' : 'pets', operation);
      }
    }
  },
);

onBothEngines('what changes nothing is not written down', async (t) => {
  const service = await startService(t);
  const root = await service.signUp(ROOT);
  const { slug } = await createProject(root, 'pets');
  const { id } = await makeToken(root);
  await root.call('DELETE', `/api/account/tokens/${id}`);
  const before = await entriesOf(root);
  await root.call('DELETE', `/api/account/tokens/${id}`);
  await root.call('DELETE', '/api/account/sessions');
  await root.call('PATCH', `/api/projects/${slug}`, { slug, name: slug });
  await root.call('PUT', `/api/projects/${slug}/plan`, { plan: 'free' });
  await root.call('PATCH', `/api/projects/${slug}/members/${await idOf(root)}`, { role: 'owner' });
  await root.call('POST', '/api/projects', { slug, name: slug });
  await root.call('DELETE', `/api/projects/${slug}`, { confirm: 'wrong' });
  const policy = { secondFactor: 'optional', afterProvider: false };
  await json(await root.call('PUT', '/api/installation/security', policy));
  assert.deepEqual(await entriesOf(root), before);
});

onBothEngines(
  "a project's entries are its own, page by page, with the means they came by",
  async (t) => {
    const service = await startService(t);
    const root = await service.signUp(ROOT);
    await createProject(root, 'pets');
    await createProject(root, 'other');
    const editor = await joinAs(service, root, 'pets', 'editor@example.com', 'editor');
    const { id, token } = await makeToken(root, 'pets', ['projects']);
    await root.withToken(token).call('PATCH', '/api/projects/pets', { name: 'Pets' });
    await root.call('DELETE', `/api/account/tokens/${id}`);
    const page = async (query: string) =>
      json<Page<AuditEntry>>(await editor.call('GET', `/api/projects/pets/audit?${query}`));
    const seen: string[] = [];
    const tokens: AuditEntry['token'][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { items, nextCursor }: Page<AuditEntry> = await page(
        `limit=2${cursor && `&cursor=${cursor}`}`,
      );
      assert.ok(items.length <= 2);
      seen.push(...items.map(({ action, via, project }) => `${action} ${via} ${project}`));
      tokens.push(...items.flatMap((entry) => entry.token ?? []));
      cursor = nextCursor;
    }
    // Told by its name and its id, also once it was revoked.
    assert.deepEqual(tokens, [{ id, name: 'for a test' }]);
    assert.deepEqual(seen, [
      'token.revoke session pets',
      'project.update token pets',
      'token.create session pets',
      'invitation.accept session pets',
      'invitation.create session pets',
      'project.create session pets',
    ]);
    for (const position of ['x', '-1', '1.5', '99999999999999999999', '\0']) {
      const cursor = Buffer.from(position).toString('base64url');
      const answer = await editor.call('GET', `/api/projects/pets/audit?cursor=${cursor}`);
      await assertError(answer, 400, 'invalid_cursor');
    }
    await root.call('DELETE', '/api/projects/pets', { confirm: 'pets' });
    const [deletion] = await entriesOf(root);
    assert.deepEqual([deletion?.action, deletion?.project], ['project.delete', null]);
  },
);
