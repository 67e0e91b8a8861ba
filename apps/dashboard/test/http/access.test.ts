import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import Fastify from 'fastify';
import { SCOPE_NAMES, type Scope } from '../../server/src/accounts/permissions.ts';
import type { Deps } from '../../server/src/deps.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { guardRoutes } from '../../server/src/http/access.ts';
import type { Project } from '../../server/src/projects/project.ts';
import type { SiteAccess } from '../../server/src/site-access/site-access.ts';
import { setMember } from '../../server/src/store/members.ts';
import { findProject } from '../../server/src/store/projects.ts';
import type { Role } from '../../server/src/store/schema/projects.ts';
import {
  addDomain,
  createRecords,
  type DomainService,
  startDomainService,
} from '../domains/support/domains.ts';
import {
  createProject,
  deploy,
  documentTitled,
  idOf,
  invite,
  joinAs,
  makeToken,
  setPlan,
} from '../support/project.ts';
import {
  assertError,
  json,
  PASSWORD,
  type Service,
  startService,
  type Visitor,
} from '../support/service.ts';
import { type Caller, type Cast, castOf, PEOPLE, type Person } from './support/callers.ts';
import { collectRoutes } from './support/routes.ts';

interface World extends Cast {
  readonly service: DomainService;
  /** Owns the project `hall`, to which everybody is invited. */
  readonly host: Visitor;
  readonly hostId: string;
  /** Deploys of `pets`. */
  readonly deploys: readonly [string, string];
  /** Counts what is made, so that each has a name of its own. */
  next(): number;
}

/** A request, made ready: what it needs is there. */
interface Ask {
  readonly path: string;
  readonly body?: unknown;
}

interface Row {
  /**
   * What each of PEOPLE gets by session: `+` may, `-` 401, `x` 403, `?` is told that there is no such project.
   */
  readonly who: string;
  /** What a token must be made for; null: no token may; undefined: nobody is asked who they are. */
  readonly scope?: Scope | null;
  /** What those who may are answered. */
  readonly status: number;
  /** What the audit log says was done, by whom and by which token. */
  readonly action?: string;
  /** For each caller anew, since it is about the caller. */
  readonly isPersonal?: true;
  readonly ask: (world: World, caller: Caller) => Ask | Promise<Ask>;
}

const PETS = '/api/projects/pets';
const HOST = `${PETS}/domains/docs.example.test`;

const EXCEPTION = { code: 'operation-removed', reason: 'Nobody calls it.', until: '2999-12-31' };

const KEY = {
  kid: 'portal',
  publicKey: JSON.stringify({
    ...{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  }),
};

/** Rights of the roles, in the order of PEOPLE. */
const EVERYONE = '+ + + + + + + +';
const SIGNED_IN = '- + + + + + + +';
const INSTALLATION = '- x x x x x + x';
const MEMBERS = '- ? + + + ? + ?';
const AUTHORS = '- ? x + + ? + ?';
const OWNERS = '- ? x x + ? + ?';

const open = (status: number, ask: Row['ask']): Row => ({ who: EVERYONE, status, ask });
const read = (who: string, path: string, scope: Scope | null = 'read'): Row => ({
  who,
  scope,
  status: 200,
  ask: () => ({ path }),
});
const change = (
  [who, scope, status, action]: readonly [string, Scope | null, number, string | undefined],
  ask: Row['ask'],
): Row => ({ who, scope, status, ...(action && { action }), ask });

/** Who may do what: every route of the API. Whoever may does it, and whoever may not changes nothing. */
const TABLE: Record<string, Row> = {
  'GET /api/openapi.json': open(200, () => ({ path: '/api/openapi.json' })),
  'GET /api/installation': open(200, () => ({ path: '/api/installation' })),
  'GET /api/visitor': open(200, () => ({ path: '/api/visitor' })),
  // Whoever may is told to mend the body: passwords take time.
  'POST /api/sign-up': open(400, () => ({ path: '/api/sign-up', body: {} })),
  'POST /api/session': open(400, () => ({ path: '/api/session', body: {} })),
  // There is no mail.
  'POST /api/forgotten-password': open(409, () => ({
    path: '/api/forgotten-password',
    body: { email: 'ann@example.com' },
  })),
  'POST /api/account-links/look-up': open(404, () => ({
    path: '/api/account-links/look-up',
    body: { secret: 'guessed' },
  })),
  'POST /api/account-links/password': open(404, () => ({
    path: '/api/account-links/password',
    body: { secret: 'guessed', password: PASSWORD },
  })),
  'POST /api/account-links/email': open(404, () => ({
    path: '/api/account-links/email',
    body: { secret: 'guessed' },
  })),
  // No browser makes a passkey for an IP address, as this dashboard has.
  'POST /api/session/passkey/options': open(409, () => ({ path: '/api/session/passkey/options' })),
  'POST /api/session/passkey': open(400, () => ({ path: '/api/session/passkey', body: {} })),
  // Nobody's password was right lately.
  'DELETE /api/session/pending': open(204, () => ({ path: '/api/session/pending' })),
  ...Object.fromEntries(
    [
      'second-factor/passkey/options',
      'set-up/passkey/options',
      'set-up/authenticator-app/draft',
    ].map((path) => [
      `POST /api/session/${path}`,
      open(401, () => ({ path: `/api/session/${path}` })),
    ]),
  ),
  ...Object.fromEntries(
    ['second-factor/code', 'second-factor/recovery-code'].map((path) => [
      `POST /api/session/${path}`,
      open(401, () => ({ path: `/api/session/${path}`, body: { code: '123456' } })),
    ]),
  ),
  ...Object.fromEntries(
    ['second-factor/passkey', 'set-up/passkey', 'set-up/authenticator-app'].map((path) => [
      `POST /api/session/${path}`,
      open(400, () => ({ path: `/api/session/${path}`, body: {} })),
    ]),
  ),
  'POST /api/session/link': open(400, () => ({ path: '/api/session/link', body: {} })),
  // There is no provider.
  'POST /api/oidc/:provider/start': open(404, () => ({ path: '/api/oidc/acme/start', body: {} })),
  // It leads to the sign-in page, which anybody sees.
  'GET /api/oidc/:provider/callback': open(200, () => ({ path: '/api/oidc/acme/callback' })),
  'POST /api/oidc/:provider/backchannel-logout': open(415, () => ({
    path: '/api/oidc/acme/backchannel-logout',
    body: {},
  })),
  'GET /api/oidc/pending-link': open(404, () => ({ path: '/api/oidc/pending-link' })),
  'POST /api/oidc/pending-link': open(404, () => ({
    path: '/api/oidc/pending-link',
    body: { password: PASSWORD },
  })),
  'GET /api/invitations/:secret': open(200, async ({ people }) => ({
    path: `/api/invitations/${await invite(people.owner, 'pets', 'reader@example.com')}`,
  })),
  'GET /api/domain-links/:secret': open(200, async (world) => ({ path: await linkOf(world) })),
  'POST /api/domain-links/:secret/verify': open(200, async (world) => ({
    path: `${await linkOf(world)}/verify`,
  })),

  'GET /api/session': read(SIGNED_IN, '/api/session'),
  'GET /api/plans': read(SIGNED_IN, '/api/plans'),
  'GET /api/projects': read(SIGNED_IN, '/api/projects'),
  'GET /api/activity': read(SIGNED_IN, '/api/activity'),
  'GET /api/account/quotas': read(SIGNED_IN, '/api/account/quotas'),
  'GET /api/account/first-steps': read(SIGNED_IN, '/api/account/first-steps', null),
  'DELETE /api/account/first-steps': change([SIGNED_IN, null, 204, undefined], () => ({
    path: '/api/account/first-steps',
  })),
  'GET /api/search': read(SIGNED_IN, '/api/search?q=pets'),
  'POST /api/projects': change([SIGNED_IN, 'projects', 201, 'project.create'], ({ next }) => {
    const slug = `made-${next()}`;
    return { path: '/api/projects', body: { name: slug, slug } };
  }),

  'PATCH /api/account': change([SIGNED_IN, null, 200, 'account.rename'], ({ next }) => ({
    path: '/api/account',
    body: { name: `Name ${next()}` },
  })),
  'GET /api/account/email': read(SIGNED_IN, '/api/account/email', null),
  // It is their address already: another one would be asked for by none of the rows below.
  'POST /api/account/email': {
    ...change([SIGNED_IN, null, 409, undefined], (_, { person }) => ({
      path: '/api/account/email',
      body: { email: `${person}@example.com`, password: PASSWORD },
    })),
    isPersonal: true,
  },
  'DELETE /api/account/email': change([SIGNED_IN, null, 204, undefined], () => ({
    path: '/api/account/email',
  })),
  // No account here is one of a first start.
  'POST /api/account/claim': change([SIGNED_IN, null, 409, undefined], () => ({
    path: '/api/account/claim',
    body: { email: 'me@example.com', name: 'Me', password: PASSWORD },
  })),
  'POST /api/account/password': change([SIGNED_IN, null, 204, 'account.password'], () => ({
    path: '/api/account/password',
    body: { current: PASSWORD, next: PASSWORD },
  })),
  'GET /api/session/confirmation': read(SIGNED_IN, '/api/session/confirmation', null),
  'POST /api/session/confirmation': change([SIGNED_IN, null, 204, undefined], () => ({
    path: '/api/session/confirmation',
    body: { password: PASSWORD },
  })),
  'POST /api/session/confirmation/passkey/options': change(
    [SIGNED_IN, null, 409, undefined],
    () => ({ path: '/api/session/confirmation/passkey/options' }),
  ),
  'POST /api/session/confirmation/passkey': change([SIGNED_IN, null, 400, undefined], () => ({
    path: '/api/session/confirmation/passkey',
    body: {},
  })),
  'GET /api/account/factors': read(SIGNED_IN, '/api/account/factors', null),
  'DELETE /api/account/factors/guessing': change([SIGNED_IN, null, 204, undefined], () => ({
    path: '/api/account/factors/guessing',
  })),
  'POST /api/account/passkeys/options': change([SIGNED_IN, null, 409, undefined], () => ({
    path: '/api/account/passkeys/options',
  })),
  'POST /api/account/passkeys': change([SIGNED_IN, null, 400, undefined], () => ({
    path: '/api/account/passkeys',
    body: {},
  })),
  // They have none.
  'PATCH /api/account/passkeys/:id': change([SIGNED_IN, null, 404, undefined], () => ({
    path: '/api/account/passkeys/pky_none',
    body: { name: 'Phone' },
  })),
  'DELETE /api/account/passkeys/:id': change([SIGNED_IN, null, 404, undefined], () => ({
    path: '/api/account/passkeys/pky_none',
  })),
  'POST /api/account/authenticator-app/draft': change([SIGNED_IN, null, 200, undefined], () => ({
    path: '/api/account/authenticator-app/draft',
  })),
  'PUT /api/account/authenticator-app': change([SIGNED_IN, null, 400, undefined], () => ({
    path: '/api/account/authenticator-app',
    body: { draft: 'none', code: '123456' },
  })),
  'DELETE /api/account/authenticator-app': change([SIGNED_IN, null, 404, undefined], () => ({
    path: '/api/account/authenticator-app',
  })),
  'POST /api/account/recovery-codes': change([SIGNED_IN, null, 409, undefined], () => ({
    path: '/api/account/recovery-codes',
  })),
  'GET /api/account/sessions': read(SIGNED_IN, '/api/account/sessions', null),
  'DELETE /api/account/sessions': change([SIGNED_IN, null, 204, undefined], () => ({
    path: '/api/account/sessions',
  })),
  'DELETE /api/account/sessions/:id': {
    ...change([SIGNED_IN, null, 204, 'session.end'], async ({ service, ids }, { person }) => {
      const id = await putSession(service, ids[person === 'nobody' ? 'owner' : person]);
      return { path: `/api/account/sessions/${id}` };
    }),
    isPersonal: true,
  },
  'GET /api/account/identities': read(SIGNED_IN, '/api/account/identities', null),
  'POST /api/account/identities/:provider/start': change([SIGNED_IN, null, 404, undefined], () => ({
    path: '/api/account/identities/acme/start',
  })),
  'POST /api/session/confirmation/providers/:provider/start': change(
    [SIGNED_IN, null, 404, undefined],
    () => ({ path: '/api/session/confirmation/providers/acme/start', body: {} }),
  ),
  'DELETE /api/account/identities/:id': {
    ...change([SIGNED_IN, null, 204, 'identity.unlink'], async (world, { person }) => {
      const id = await putIdentity(world, person === 'nobody' ? 'owner' : person);
      return { path: `/api/account/identities/${id}` };
    }),
    isPersonal: true,
  },
  'GET /api/account/tokens': read(SIGNED_IN, '/api/account/tokens', null),
  'POST /api/account/tokens': change([SIGNED_IN, null, 201, 'token.create'], () => ({
    path: '/api/account/tokens',
    body: { name: 'CI', scopes: ['members'] },
  })),
  'DELETE /api/account/tokens/:id': {
    ...change([SIGNED_IN, null, 204, 'token.revoke'], async ({ people }, { person }) => {
      const { id } = await makeToken(people[person === 'nobody' ? 'owner' : person]);
      return { path: `/api/account/tokens/${id}` };
    }),
    isPersonal: true,
  },
  'POST /api/invitations/:secret/accept': {
    ...change([SIGNED_IN, null, 200, 'invitation.accept'], async (world, { person }) => {
      const secret = await inviteToHall(world, person === 'nobody' ? 'stranger' : person);
      return { path: `/api/invitations/${secret}/accept` };
    }),
    isPersonal: true,
  },

  'GET /api/installation/users': read(INSTALLATION, '/api/installation/users', 'installation'),
  'GET /api/installation/users/:id': {
    ...read(INSTALLATION, '', 'installation'),
    ask: ({ ids }) => ({ path: `/api/installation/users/${ids.viewer}` }),
  },
  'POST /api/installation/users/:id/disable': change(
    [INSTALLATION, null, 200, 'account.disable'],
    async (world) => ({ path: `/api/installation/users/${await putUser(world)}/disable` }),
  ),
  'POST /api/installation/users/:id/enable': change(
    [INSTALLATION, null, 200, 'account.enable'],
    async (world) => ({
      path: `/api/installation/users/${await putUser(world, { disabled_at: 1 })}/enable`,
    }),
  ),
  'POST /api/installation/users/:id/remove': change(
    [INSTALLATION, null, 200, 'account.remove'],
    async (world) => ({
      path: `/api/installation/users/${await putUser(world)}/remove`,
      body: {},
    }),
  ),
  'PUT /api/installation/users/:id/email': change(
    [INSTALLATION, null, 200, 'account.email'],
    async (world) => ({
      path: `/api/installation/users/${await putUser(world)}/email`,
      body: { email: `moved-${world.next()}@example.com` },
    }),
  ),
  'POST /api/installation/users/:id/password-link': change(
    [INSTALLATION, null, 201, 'account.password_link'],
    async (world) => ({ path: `/api/installation/users/${await putUser(world)}/password-link` }),
  ),
  // Its owner keeps it.
  'POST /api/installation/owner': change([INSTALLATION, null, 204, undefined], ({ ids }) => ({
    path: '/api/installation/owner',
    body: { userId: ids.root },
  })),
  'GET /api/installation/groups': read(INSTALLATION, '/api/installation/groups', 'installation'),
  'POST /api/installation/groups': change(
    [INSTALLATION, 'installation', 201, 'group.create'],
    ({ next }) => ({ path: '/api/installation/groups', body: { name: `Group ${next()}` } }),
  ),
  'GET /api/installation/groups/:groupId': {
    ...read(INSTALLATION, '', 'installation'),
    ask: async (world) => ({ path: `/api/installation/groups/${await putGroup(world)}` }),
  },
  'PATCH /api/installation/groups/:groupId': change(
    [INSTALLATION, 'installation', 200, 'group.update'],
    async (world) => ({
      path: `/api/installation/groups/${await putGroup(world)}`,
      body: { name: `Group ${world.next()}` },
    }),
  ),
  'DELETE /api/installation/groups/:groupId': change(
    [INSTALLATION, 'installation', 204, 'group.delete'],
    async (world) => ({ path: `/api/installation/groups/${await putGroup(world)}` }),
  ),
  'GET /api/installation/groups/:groupId/members': {
    ...read(INSTALLATION, '', 'installation'),
    ask: async (world) => ({ path: `/api/installation/groups/${await putGroup(world)}/members` }),
  },
  'POST /api/installation/groups/:groupId/members': change(
    [INSTALLATION, 'installation', 201, 'group.members'],
    async (world) => ({
      path: `/api/installation/groups/${await putGroup(world)}/members`,
      body: { email: 'stranger@example.com' },
    }),
  ),
  'DELETE /api/installation/groups/:groupId/members/:memberId': change(
    [INSTALLATION, 'installation', 204, 'group.members'],
    async (world) => ({
      path: `/api/installation/groups/${await putGroup(world, 'stranger')}/members/${world.ids.stranger}`,
    }),
  ),
  'GET /api/installation/scim-tokens': read(
    INSTALLATION,
    '/api/installation/scim-tokens',
    'installation',
  ),
  'POST /api/installation/scim-tokens': change(
    [INSTALLATION, null, 201, 'scim_token.create'],
    ({ next }) => ({
      path: '/api/installation/scim-tokens',
      body: { name: `Directory ${next()}` },
    }),
  ),
  'DELETE /api/installation/scim-tokens/:id': change(
    [INSTALLATION, null, 204, 'scim_token.revoke'],
    async ({ people, next }) => {
      const body = { name: `Directory ${next()}` };
      const made = await people.root.call('POST', '/api/installation/scim-tokens', body);
      const { id } = await json<{ id: string }>(made, 201);
      return { path: `/api/installation/scim-tokens/${id}` };
    },
  ),
  'GET /api/installation/quotas': read(INSTALLATION, '/api/installation/quotas', 'installation'),
  'GET /api/installation/quotas/accounts': read(
    INSTALLATION,
    '/api/installation/quotas/accounts',
    'installation',
  ),
  'GET /api/installation/quotas/projects': read(
    INSTALLATION,
    '/api/installation/quotas/projects',
    'installation',
  ),
  'PUT /api/installation/quotas/:quota/:target': change(
    [INSTALLATION, 'installation', 200, 'quota.set'],
    ({ next }) => ({
      path: '/api/installation/quotas/builds-per-hour/plan:enterprise',
      body: { most: 10_000 + next() },
    }),
  ),
  'DELETE /api/installation/quotas/:quota/:target': change(
    [INSTALLATION, 'installation', 204, 'quota.set'],
    async ({ people }) => {
      const path = '/api/installation/quotas/bytes/plan:enterprise';
      await json(await people.root.call('PUT', path, { most: null }));
      return { path };
    },
  ),
  'GET /api/installation/security': read(
    INSTALLATION,
    '/api/installation/security',
    'installation',
  ),
  'PUT /api/installation/security': change(
    [INSTALLATION, null, 200, 'security.update'],
    ({ next }) => ({
      path: '/api/installation/security',
      body: { secondFactor: 'optional', afterProvider: next() % 2 === 0 },
    }),
  ),
  'GET /api/installation/sign-in': read(INSTALLATION, '/api/installation/sign-in', 'installation'),
  'POST /api/installation/sign-in/:provider/check': change(
    [INSTALLATION, 'installation', 404, undefined],
    () => ({ path: '/api/installation/sign-in/acme/check' }),
  ),
  'GET /api/audit': read(INSTALLATION, '/api/audit', 'installation'),
  'GET /api/audit/export': read(INSTALLATION, '/api/audit/export', 'installation'),
  'GET /api/zone': read(INSTALLATION, '/api/zone', 'installation'),
  // There is no zone to check.
  'GET /api/zone/check': { ...read(INSTALLATION, '/api/zone/check', 'installation'), status: 404 },
  'PUT /api/projects/:slug/plan': change(
    [INSTALLATION, 'installation', 200, 'project.plan'],
    ({ next }) => ({
      path: '/api/projects/roots/plan',
      body: { plan: next() % 2 === 0 ? 'pro' : 'enterprise' },
    }),
  ),

  'GET /api/projects/:slug': read(MEMBERS, PETS),
  'GET /api/projects/:slug/quotas': read(MEMBERS, `${PETS}/quotas`),
  'PATCH /api/projects/:slug': change([OWNERS, 'projects', 200, 'project.update'], ({ next }) => ({
    path: PETS,
    body: { name: `Pets ${next()}` },
  })),
  // Once more below, with the right slug.
  'DELETE /api/projects/:slug': change([OWNERS, 'delete', 400, undefined], () => ({
    path: PETS,
    body: { confirm: 'another' },
  })),
  'GET /api/projects/:slug/moved-addresses': read(MEMBERS, `${PETS}/moved-addresses`),
  'DELETE /api/projects/:slug/moved-addresses/:address': change(
    [OWNERS, 'projects', 204, 'project.end_redirect'],
    async ({ service, next }) => {
      const slug = `former-${next()}`;
      await putFormerSlug(service, slug);
      return { path: `${PETS}/moved-addresses/${slug}` };
    },
  ),
  'GET /api/projects/:slug/audit': read(AUTHORS, `${PETS}/audit`),
  'GET /api/projects/:slug/audit/export': read(AUTHORS, `${PETS}/audit/export`),

  'GET /api/projects/:slug/members': read(MEMBERS, `${PETS}/members`),
  'PATCH /api/projects/:slug/members/:userId': change(
    [OWNERS, 'members', 200, 'member.role'],
    async (world) => ({
      path: `${PETS}/members/${await putMember(world, 'viewer')}`,
      body: { role: 'editor' },
    }),
  ),
  'DELETE /api/projects/:slug/members/:userId': change(
    [OWNERS, 'members', 204, 'member.remove'],
    async (world) => ({ path: `${PETS}/members/${await putMember(world, 'editor')}` }),
  ),
  'GET /api/projects/:slug/groups': read(MEMBERS, `${PETS}/groups`),
  'GET /api/projects/:slug/groups/choices': read(OWNERS, `${PETS}/groups/choices`, 'members'),
  'PUT /api/projects/:slug/groups/:groupId': change(
    [OWNERS, 'members', 200, 'group.role'],
    // Anybody may sign up here, so owners choose among the groups that they are in.
    async (world) => ({
      path: `${PETS}/groups/${await putGroup(world, 'owner')}`,
      body: { role: 'editor' },
    }),
  ),
  'DELETE /api/projects/:slug/groups/:groupId': change(
    [OWNERS, 'members', 204, 'group.role'],
    async (world) => {
      const path = `${PETS}/groups/${await putGroup(world)}`;
      await json(await world.people.root.call('PUT', path, { role: 'viewer' }));
      return { path };
    },
  ),
  'GET /api/projects/:slug/invitations': read(OWNERS, `${PETS}/invitations`, 'members'),
  'POST /api/projects/:slug/invitations': change(
    [OWNERS, 'members', 201, 'invitation.create'],
    ({ next }) => ({
      path: `${PETS}/invitations`,
      body: { email: `guest-${next()}@example.com`, role: 'editor' },
    }),
  ),
  'DELETE /api/projects/:slug/invitations/:id': change(
    [OWNERS, 'members', 204, 'invitation.revoke'],
    async ({ people, next }) => {
      const body = { email: `guest-${next()}@example.com`, role: 'viewer' };
      const made = await people.owner.call('POST', `${PETS}/invitations`, body);
      return { path: `${PETS}/invitations/${(await json<{ id: string }>(made, 201)).id}` };
    },
  ),

  'GET /api/projects/:slug/tokens': read(OWNERS, `${PETS}/tokens`, null),
  'POST /api/projects/:slug/tokens': change([OWNERS, null, 201, 'token.create'], () => ({
    path: `${PETS}/tokens`,
    body: { name: 'CI', scopes: ['members'] },
  })),
  'DELETE /api/projects/:slug/tokens/:id': change(
    [OWNERS, null, 204, 'token.revoke'],
    async ({ people }) => ({
      path: `${PETS}/tokens/${(await makeToken(people.owner, 'pets')).id}`,
    }),
  ),

  'GET /api/projects/:slug/deploys': read(MEMBERS, `${PETS}/deploys`),
  'GET /api/projects/:slug/deploys/:id': {
    ...read(MEMBERS, ''),
    ask: ({ deploys }) => ({ path: `${PETS}/deploys/${deploys[0]}` }),
  },
  'GET /api/projects/:slug/deploys/:id/log': {
    ...read(MEMBERS, ''),
    ask: ({ deploys }) => ({ path: `${PETS}/deploys/${deploys[0]}/log` }),
  },
  'GET /api/projects/:slug/deploys/:id/changes': {
    ...read(MEMBERS, ''),
    ask: ({ deploys }) => ({ path: `${PETS}/deploys/${deploys[0]}/changes` }),
  },
  'POST /api/projects/:slug/deploys': change([AUTHORS, 'deploy', 202, 'deploy.create'], () => ({
    path: `${PETS}/deploys?activate=false`,
    body: documentTitled('Pets'),
  })),
  'POST /api/projects/:slug/deploys/:id/activate': change(
    [AUTHORS, 'deploy', 200, 'deploy.activate'],
    async ({ people, deploys }) => {
      const { live } = await json<Project>(await people.owner.call('GET', PETS));
      return { path: `${PETS}/deploys/${deploys.find((id) => id !== live?.id)}/activate` };
    },
  ),
  'GET /api/projects/:slug/removable-deploys': read(MEMBERS, `${PETS}/removable-deploys`),
  'DELETE /api/projects/:slug/deploys/:id/files': change(
    [AUTHORS, 'deploy', 204, 'deploy.remove_files'],
    async (world) => ({ path: `${PETS}/deploys/${await putStoredDeploy(world)}/files` }),
  ),

  'GET /api/projects/:slug/previews': read(MEMBERS, `${PETS}/previews`),
  'DELETE /api/projects/:slug/previews/:branch': change(
    [AUTHORS, 'deploy', 204, 'preview.delete'],
    async (world) => ({ path: `${PETS}/previews/${await putPreview(world)}` }),
  ),

  'GET /api/projects/:slug/versions': read(MEMBERS, `${PETS}/versions`),
  'PATCH /api/projects/:slug/versions/:version': change(
    [AUTHORS, 'deploy', 200, 'version.default'],
    async (world) => ({
      path: `${PETS}/versions/${await putVersion(world)}`,
      body: { default: true },
    }),
  ),
  'DELETE /api/projects/:slug/versions/:version': change(
    [AUTHORS, 'deploy', 204, 'version.retire'],
    async (world) => ({ path: `${PETS}/versions/${await putVersion(world)}` }),
  ),

  'GET /api/projects/:slug/access': read(MEMBERS, `${PETS}/access`),
  'GET /api/projects/:slug/access/preview': read(MEMBERS, `${PETS}/access/preview`),
  'PATCH /api/projects/:slug/access': change(
    [OWNERS, 'projects', 200, 'access.update'],
    async ({ people }) => {
      const access = await json<SiteAccess>(await people.owner.call('GET', `${PETS}/access`));
      return { path: `${PETS}/access`, body: { everyone: !access.everyone } };
    },
  ),
  'PUT /api/projects/:slug/access/password': change(
    [OWNERS, 'projects', 204, 'access.password'],
    () => ({ path: `${PETS}/access/password`, body: { password: 'a shared password' } }),
  ),
  'DELETE /api/projects/:slug/access/password': change(
    [OWNERS, 'projects', 204, 'access.password_remove'],
    async ({ people }) => {
      const path = `${PETS}/access/password`;
      await people.owner.call('PUT', path, { password: 'a shared password' });
      return { path };
    },
  ),
  'POST /api/projects/:slug/access/keys': change(
    [OWNERS, 'projects', 201, 'access.key_add'],
    async ({ service }) => {
      await service.db.deleteFrom('site_access_keys').execute();
      return { path: `${PETS}/access/keys`, body: KEY };
    },
  ),
  'DELETE /api/projects/:slug/access/keys/:id': change(
    [OWNERS, 'projects', 204, 'access.key_remove'],
    async ({ service, people }) => {
      await service.db.deleteFrom('site_access_keys').execute();
      const made = await people.owner.call('POST', `${PETS}/access/keys`, KEY);
      return { path: `${PETS}/access/keys/${(await json<{ id: string }>(made, 201)).id}` };
    },
  ),
  'DELETE /api/projects/:slug/access/sessions': change(
    [OWNERS, 'projects', 200, 'access.sign_out'],
    () => ({ path: `${PETS}/access/sessions` }),
  ),
  // The site is public, so whoever is signed in is sent back to it.
  'POST /api/site-sign-in': change([SIGNED_IN, null, 200, undefined], () => ({
    path: '/api/site-sign-in',
    body: { host: 'pets.docs.localhost', state: 'A'.repeat(43) },
  })),
  'GET /api/projects/:slug/readers': read(MEMBERS, `${PETS}/readers`),
  'DELETE /api/projects/:slug/readers': change([OWNERS, 'projects', 204, 'readers.clear'], () => ({
    path: `${PETS}/readers`,
  })),
  'GET /api/projects/:slug/readers/sentences': read(MEMBERS, `${PETS}/readers/sentences`),
  'GET /api/projects/:slug/readers/sentences/csv': read(MEMBERS, `${PETS}/readers/sentences/csv`),
  'DELETE /api/projects/:slug/readers/sentences/:id': change(
    [AUTHORS, 'projects', 204, 'readers.delete_sentence'],
    async (world) => ({ path: `${PETS}/readers/sentences/${await putSentence(world)}` }),
  ),
  'GET /api/projects/:slug/readers/:table': read(MEMBERS, `${PETS}/readers/missing`),
  'GET /api/projects/:slug/readers/:table/csv': read(MEMBERS, `${PETS}/readers/pages/csv`),
  'GET /api/projects/:slug/export': read(MEMBERS, `${PETS}/export`),
  'GET /api/projects/:slug/domains': read(MEMBERS, `${PETS}/domains`),
  'POST /api/projects/:slug/domains': change(
    [OWNERS, 'domains', 201, 'domain.add'],
    ({ next }) => ({
      path: `${PETS}/domains`,
      body: { hostname: `added-${next()}.example.test` },
    }),
  ),
  'GET /api/projects/:slug/domains/:hostname': read(MEMBERS, HOST),
  'GET /api/projects/:slug/domains/:hostname/events': read(MEMBERS, `${HOST}/events`),
  'GET /api/projects/:slug/domains/:hostname/move': read(MEMBERS, `${HOST}/move`),
  'GET /api/projects/:slug/domains/:hostname/traffic': read(MEMBERS, `${HOST}/traffic`),
  'GET /api/projects/:slug/domains/:hostname/domain-connect': read(
    OWNERS,
    `${HOST}/domain-connect`,
    'domains',
  ),
  'PATCH /api/projects/:slug/domains/:hostname': change(
    [OWNERS, 'domains', 200, 'domain.update'],
    ({ next }) => ({
      path: HOST,
      body: { hsts: { maxAgeSeconds: next() % 2 === 0 ? 300 : 86_400, includeSubdomains: false } },
    }),
  ),
  'POST /api/projects/:slug/domains/:hostname/verify': change(
    [AUTHORS, 'domains', 200, undefined],
    () => ({ path: `${HOST}/verify` }),
  ),
  'POST /api/projects/:slug/dns-simulation': change([AUTHORS, 'domains', 200, undefined], () => ({
    path: `${PETS}/dns-simulation`,
    body: { hostname: 'docs.example.test' },
  })),
  'POST /api/projects/:slug/domains/:hostname/primary': change(
    [OWNERS, 'domains', 200, 'domain.primary'],
    async ({ service }) => {
      await service.db.updateTable('projects').set({ primary_domain_id: null }).execute();
      return { path: `${HOST}/primary` };
    },
  ),
  'POST /api/projects/:slug/domains/:hostname/link': change(
    [OWNERS, 'domains', 200, 'domain.link'],
    () => ({ path: `${HOST}/link` }),
  ),
  'GET /api/projects/:slug/domains/:hostname/rehearsals/latest': {
    ...read(MEMBERS, `${HOST}/rehearsals/latest`),
    ask: async (world) => {
      await putRehearsed(world);
      return { path: `${HOST}/rehearsals/latest` };
    },
  },
  'POST /api/projects/:slug/domains/:hostname/rehearsals': change(
    [OWNERS, 'domains', 202, 'domain.rehearse'],
    async (world) => {
      await putRehearsed(world);
      // There may be few within an hour.
      const counters = world.service.db.deleteFrom('sign_in_failures');
      await counters.where('key', 'like', 'rehearse:%').execute();
      return { path: `${HOST}/rehearsals` };
    },
  ),
  'DELETE /api/projects/:slug/domains/:hostname': change(
    [OWNERS, 'domains', 204, 'domain.remove'],
    async ({ people, next }) => {
      const { hostname } = await addDomain(people.owner, 'pets', `gone-${next()}.example.test`);
      return { path: `${PETS}/domains/${hostname}` };
    },
  ),

  'GET /api/projects/:slug/change-exceptions': read(MEMBERS, `${PETS}/change-exceptions`),
  'POST /api/projects/:slug/change-exceptions': change(
    [OWNERS, 'projects', 201, 'exception.create'],
    () => ({ path: `${PETS}/change-exceptions`, body: EXCEPTION }),
  ),
  'DELETE /api/projects/:slug/change-exceptions/:id': change(
    [OWNERS, 'projects', 204, 'exception.end'],
    async ({ people }) => {
      const path = `${PETS}/change-exceptions`;
      const made = await people.owner.call('POST', path, EXCEPTION);
      return { path: `${path}/${(await json<{ id: string }>(made, 201)).id}` };
    },
  ),

  'GET /api/projects/:slug/webhooks': read(OWNERS, `${PETS}/webhooks`, 'webhooks'),
  'POST /api/projects/:slug/webhooks': change(
    [OWNERS, 'webhooks', 201, 'webhook.create'],
    async ({ service }) => {
      await service.db.deleteFrom('webhooks').execute();
      return { path: `${PETS}/webhooks`, body: { url: 'http://127.0.0.1:9/' } };
    },
  ),
  'PATCH /api/projects/:slug/webhooks/:id': change(
    [OWNERS, 'webhooks', 200, 'webhook.update'],
    async (world) => ({
      path: `${PETS}/webhooks/${await putWebhook(world)}`,
      body: { events: ['deploy.live'] },
    }),
  ),
  'GET /api/projects/:slug/webhooks/:id/deliveries': {
    ...read(OWNERS, '', 'webhooks'),
    ask: async (world) => ({ path: `${PETS}/webhooks/${await putWebhook(world)}/deliveries` }),
  },
  'GET /api/projects/:slug/webhooks/:id/deliveries/:deliveryId': {
    ...read(OWNERS, '', 'webhooks'),
    ask: async (world) => ({ path: await putDelivery(world) }),
  },
  'POST /api/projects/:slug/webhooks/:id/deliveries/:deliveryId/send': change(
    [OWNERS, 'webhooks', 200, undefined],
    async (world) => ({ path: `${await putDelivery(world)}/send` }),
  ),
  'DELETE /api/projects/:slug/webhooks/:id': change(
    [OWNERS, 'webhooks', 204, 'webhook.delete'],
    async (world) => ({ path: `${PETS}/webhooks/${await putWebhook(world)}` }),
  ),
  'POST /api/projects/:slug/webhooks/:id/test': change(
    [OWNERS, 'webhooks', 200, undefined],
    async (world) => ({ path: `${PETS}/webhooks/${await putWebhook(world)}/test` }),
  ),

  'GET /api/projects/:slug/repository': {
    ...read(MEMBERS, ''),
    ask: async (world) => ({ path: await putRepository(world) }),
  },
  'PUT /api/projects/:slug/repository': change(
    [OWNERS, 'repositories', 200, 'repository.connect'],
    async ({ service }) => {
      await service.db.deleteFrom('repositories').execute();
      return { path: `${PETS}/repository`, body: { url: 'https://127.0.0.1:9/pets.git' } };
    },
  ),
  'POST /api/projects/:slug/repository/check': change(
    [AUTHORS, 'deploy', 200, undefined],
    async (world) => ({ path: `${await putRepository(world)}/check` }),
  ),
  'POST /api/projects/:slug/repository/webhook-secret': change(
    [OWNERS, 'repositories', 201, 'repository.secret'],
    async (world) => ({ path: `${await putRepository(world)}/webhook-secret` }),
  ),
  'DELETE /api/projects/:slug/repository/host-keys': change(
    [OWNERS, 'repositories', 200, 'repository.host_keys'],
    async (world) => ({ path: `${await putRepository(world)}/host-keys` }),
  ),
  'DELETE /api/projects/:slug/repository': change(
    [OWNERS, 'repositories', 204, 'repository.disconnect'],
    async (world) => ({ path: await putRepository(world) }),
  ),
  // Whoever sends them has no account: without the secret of the repository nobody may.
  'POST /api/git/:id': open(401, async (world) => {
    await putRepository(world);
    const { id } = await world.service.db
      .selectFrom('repositories')
      .select('id')
      .executeTakeFirstOrThrow();
    return { path: `/api/git/${id}`, body: {} };
  }),

  // The last: nobody is signed in afterwards.
  'DELETE /api/session': change([SIGNED_IN, null, 204, 'session.end'], () => ({
    path: '/api/session',
  })),
};

/** What is no part of the API, and asks nobody who they are. */
const BESIDE = /^(GET|HEAD) \/(livez|readyz|\*|theme\.js|index\.html|favicon\.svg|assets\/.+)$/;

/** Directories come with tokens of their own: scim/protocol.test.ts tries them all. */
const BY_DIRECTORIES = /^\S+ \/scim\/v2\//;

/** How many tests share the rows: 41 callers try each, which takes a while. */
const PARTS = 4;

test('the table of who may call what has every route', async (t) => {
  const routes = collectRoutes();
  await startService(t);
  const rows = Object.keys(TABLE);
  const reads = rows.filter((name) => name.startsWith('GET ') && hasHead(name));
  assert.deepEqual(
    routes()
      .filter((route) => !BESIDE.test(route) && !BY_DIRECTORIES.test(route))
      .sort(),
    [...rows, ...reads.map((name) => name.replace('GET', 'HEAD'))].sort(),
  );
});

for (let part = 1; part <= PARTS; part++) {
  onBothEngines(
    `every route lets in exactly those who may call it, part ${part} of ${PARTS}`,
    async (t) => {
      const world = await makeWorld(t);
      const rows = Object.entries(TABLE);
      const upTo = (parts: number) => Math.round((rows.length * parts) / PARTS);
      for (const [name, row] of rows.slice(upTo(part - 1), upTo(part))) {
        await play(world, name, row);
      }
    },
  );
}

/** A look at an answer of a provider would use it up. */
const hasHead = (name: string) => name !== 'GET /api/oidc/:provider/callback';

/**
 * Plays a row for every caller. Those who change nothing ask at once, since the most of what they take is waiting: who
 * reads, and who may not.
 */
async function play(world: World, name: string, row: Row): Promise<void> {
  const isRead = name.startsWith('GET ');
  const may = (caller: Caller) => expected(row, name, caller) === '+';
  const [together, inTurn] = isRead
    ? [world.callers, []]
    : [world.callers.filter((caller) => !may(caller)), world.callers.filter(may)];

  let ask: Ask | undefined;
  let path = '';
  const prepare = async (caller: Caller) => {
    if (!ask || row.isPersonal) ask = await row.ask(world, caller);
    path = ask.path;
    return ask;
  };
  const asks: (readonly [Caller, Ask])[] = [];
  for (const caller of together) asks.push([caller, await prepare(caller)]);
  let before = await lastEntry(world);
  if (!isRead) await forgetLimits(world);
  await Promise.all(asks.map(([caller, its]) => answerTo(caller, name, row, its)));
  if (!isRead) {
    const after = await lastEntry(world);
    const who = `${after?.actor_id}, with the token ${after?.token_id},`;
    assert.equal(after?.id, before?.id, `${name}: ${who} changed something: ${after?.action}`);
  }

  for (const caller of inTurn) {
    const said = saidOf(name, caller);
    const its = await prepare(caller);
    before = await lastEntry(world);
    await forgetLimits(world);
    await answerTo(caller, name, row, its);
    const after = await lastEntry(world);
    if (row.action === undefined) {
      assert.equal(after?.id, before?.id, `${said} changed something: ${after?.action}`);
      continue;
    }
    assert.ok(after && after.id !== before?.id, `${said} was not written down`);
    const { person, token } = caller;
    assert.deepEqual(
      [after.action, after.actor_id, after.token_id],
      [row.action, person === 'nobody' ? null : world.ids[person], token?.id ?? null],
      said,
    );
    ask = undefined;
  }
  assert.equal((await world.people.owner.call('OPTIONS', path)).status, 405, `OPTIONS of ${name}`);
}

const saidOf = (name: string, caller: Caller) => `${name} for ${caller.name}`;

/** Checks what a caller is answered, and to HEAD where that is a route, too. */
async function answerTo(caller: Caller, name: string, row: Row, { path, body }: Ask) {
  const said = saidOf(name, caller);
  const [method = ''] = name.split(' ');
  const answer = await caller.visitor.call(method, path, body);
  const text = await answer.text();
  const mark = markOf(answer.status, row.status);
  assert.equal(mark, expected(row, name, caller), `${said}: ${answer.status} ${text}`);
  if (method !== 'GET' || caller.token || !hasHead(name)) return;
  const head = await caller.visitor.call('HEAD', path);
  assert.deepEqual([head.status, await head.text()], [answer.status, ''], `HEAD, as ${said}`);
}

function markOf(status: number, forThoseWhoMay: number): string {
  if (status === forThoseWhoMay) return '+';
  return { 401: '-', 403: 'x', 404: '?' }[status] ?? `${status}`;
}

/** What a caller gets: a token has what its owner has, where it is good for it and was made for it. */
function expected({ who, scope }: Row, name: string, { person, token }: Caller): string {
  if (scope === undefined) return '+';
  const mark = who.split(' ')[PEOPLE.indexOf(person)] ?? '';
  if (!token) return mark;
  if (!token.isGood) return '-';
  const isAboutProject = name.includes('/projects/:slug') && scope !== 'installation';
  if (isAboutProject && token.project !== null && token.project !== 'pets') return '?';
  if (mark !== '+') return mark;
  const isAboveProjects = name === 'POST /api/projects' || scope === 'installation';
  if (isAboveProjects && token.project !== null) return 'x';
  return scope !== null && token.scopes.includes(scope) ? '+' : 'x';
}

async function makeWorld(t: Parameters<typeof startDomainService>[0]): Promise<World> {
  const service = await startDomainService(t, {
    signUp: 'open',
    webhookPrivateAddresses: 'allow',
  });
  const cast = await castOf(service, service.root);
  const { owner } = cast.people;
  const deploys = [await deploy(owner, 'pets'), await deploy(owner, 'pets')] as const;
  createRecords(service.dns, await addDomain(owner, 'pets', 'docs.example.test'));
  await json(await owner.call('POST', `${HOST}/verify`));
  const host = await service.signUp('host@example.com');
  await createProject(host, 'hall');
  await setPlan(service.root, 'hall', 'enterprise');
  let count = 0;
  return {
    ...cast,
    host,
    hostId: await idOf(host),
    service,
    deploys: [deploys[0].id, deploys[1].id],
    next: () => count++,
  };
}

async function linkOf({ people }: World): Promise<string> {
  const { link } = await json<Domain>(await people.owner.call('GET', HOST));
  return `/api/domain-links/${link?.replace(/^.*\/d\//, '')}`;
}

/** Has the domain verified, and its latest rehearsal ended. */
async function putRehearsed({ service: { db } }: World): Promise<void> {
  const domains = db.updateTable('domains').where('hostname', '=', 'docs.example.test');
  const { id } = await domains.set({ verified_at: 1 }).returning('id').executeTakeFirstOrThrow();
  await db.deleteFrom('rehearsals').execute();
  await db
    .insertInto('rehearsals')
    .values({
      ...{ domain_id: id, requested_at: 0, requested_by: 'somebody', finished_at: 1 },
      ...{ attempts: 1, pages_seen: 0, problem: 'None.', result: null },
      ...{ leased_by: null, leased_until: null },
    })
    .execute();
}

/** An account that is in no project. */
async function putUser({ service, next }: World, more: { disabled_at?: number } = {}) {
  const id = `usr_${randomUUID()}`;
  const row = { id, email: `put-${next()}@example.com`, name: 'Put', password_hash: '!' };
  await service.db
    .insertInto('users')
    .values({ ...row, role: 'user', created_at: 0, ...more })
    .execute();
  return id;
}

/** The secret of an invitation to `hall`, of which the invited is no member. */
async function inviteToHall(
  { service, host, ids }: World,
  person: Exclude<Person, 'nobody'>,
): Promise<string> {
  await service.db
    .deleteFrom('members')
    .where('user_id', '=', ids[person])
    .where('project_id', 'in', projectNamed(service, 'hall'))
    .execute();
  return invite(host, 'hall', `${person}@example.com`);
}

/** The host, as a member of `pets`. */
/** What a reader wrote. */
async function putSentence({ service }: World): Promise<number> {
  const project = await findProject(service.db, 'pets', null);
  const row = { day: 0, page: '/', helpful: 1, text: 'Good.' };
  const { id } = await service.db
    .insertInto('reader_sentences')
    .values({ ...row, project_id: project?.project.id ?? '' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function putMember({ service, hostId }: World, role: Role): Promise<string> {
  const { id } = await projectNamed(service, 'pets').executeTakeFirstOrThrow();
  await service.db
    .transaction()
    .execute((trx) => setMember(trx, { project_id: id, user_id: hostId, role, created_at: 0 }));
  return hostId;
}

function projectNamed({ db }: DomainService, slug: string) {
  return db.selectFrom('projects').select('id').where('slug', '=', slug);
}

async function putSession({ db }: DomainService, userId: string): Promise<string> {
  const id = randomUUID();
  const at = Date.now();
  const row = { id, token_hash: id, user_id: userId, ip: '', user_agent: '' };
  await db
    .insertInto('sessions')
    .values({ ...row, created_at: at, last_seen_at: at, expires_at: at + 60_000 })
    .execute();
  return id;
}

/** An account at a provider that a person's own account is linked with; its id. */
async function putIdentity({ service, ids }: World, person: keyof World['ids']): Promise<string> {
  const id = randomUUID();
  const of = { id, user_id: ids[person], provider: 'acme', issuer: 'https://acme.example' };
  await service.db
    .insertInto('identities')
    .values({ ...of, subject: id, email: null, created_at: 0, last_used_at: null })
    .execute();
  return id;
}

/** A group with at most one member; its id. */
async function putGroup(
  { people, ids, next }: World,
  member?: Exclude<Person, 'nobody'>,
): Promise<string> {
  const body = { name: `Group ${next()}` };
  const made = await people.root.call('POST', '/api/installation/groups', body);
  const { id } = await json<{ id: string }>(made, 201);
  if (member === undefined) return id;
  const email = `${member}@example.com`;
  assert.ok(ids[member]);
  await json(
    await people.root.call('POST', `/api/installation/groups/${id}/members`, { email }),
    201,
  );
  return id;
}

/** A preview that no deploy is built for; the name of its branch. */
async function putPreview({ service: { db } }: World): Promise<string> {
  const branch = 'feature';
  const project = await findProject(db, 'pets', null);
  assert.ok(project);
  const row = { project_id: project.project.id, branch, label: 'feature-a', deploy_id: null };
  await db
    .insertInto('branch_previews')
    .values({ ...row, created_at: Date.now(), deployed_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return branch;
}

/** A version that shows a deploy and is not the default; its name. */
/** Another deploy with the files of the first, which nothing shows. */
async function putStoredDeploy({ service: { db }, deploys, next }: World): Promise<string> {
  const like = await db
    .selectFrom('deploys')
    .selectAll()
    .where('id', '=', deploys[0])
    .executeTakeFirstOrThrow();
  const number = 1_000_000 + next();
  const id = `stored${number}`;
  await db
    .insertInto('deploys')
    .values({ ...like, id, number, activated_at: null })
    .execute();
  return id;
}

async function putVersion({ service: { db }, deploys }: World): Promise<string> {
  const name = 'v1';
  const project = await findProject(db, 'pets', null);
  assert.ok(project);
  const { id } = project.project;
  const shown = { deploy_id: deploys[0] ?? null, retired_at: null };
  await db
    .insertInto('site_versions')
    .values({ project_id: id, name, ...shown, created_at: 0, deployed_at: 0 })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(shown))
    .execute();
  await db.updateTable('projects').set({ default_version: null }).where('id', '=', id).execute();
  return name;
}

async function putWebhook({ service, people }: World): Promise<string> {
  await service.db.deleteFrom('webhooks').execute();
  const body = { url: 'http://127.0.0.1:9/' };
  const made = await people.owner.call('POST', `${PETS}/webhooks`, body);
  return (await json<{ id: string }>(made, 201)).id;
}

/** The path of the repository of `pets`, whose host may not be asked: it is on this machine. */
async function putRepository({ people }: World): Promise<string> {
  const path = `${PETS}/repository`;
  const found = await people.owner.call('GET', path);
  await found.text();
  if (found.status === 404)
    await json(await people.owner.call('PUT', path, { url: 'https://127.0.0.1:9/pets.git' }));
  return path;
}

/** The path of a delivery: a test that nobody took. */
async function putDelivery(world: World): Promise<string> {
  const path = `${PETS}/webhooks/${await putWebhook(world)}`;
  await json(await world.people.owner.call('POST', `${path}/test`));
  const { id } = await world.service.db
    .selectFrom('notices')
    .select('id')
    .where('type', '=', 'webhook.test')
    .executeTakeFirstOrThrow();
  return `${path}/deliveries/${id}`;
}

/** So that it is no matter how often somebody asks. */
async function forgetLimits({ service }: World): Promise<void> {
  await service.db.deleteFrom('sign_in_failures').execute();
}

/** A slug that `pets` had before. */
async function putFormerSlug({ db }: Service, label: string): Promise<void> {
  const found = await findProject(db, 'pets', null);
  const project_id = found?.project.id ?? '';
  const row = { label, reserved_until: Date.now() + 60_000, project_id, owner_ids: '[]' };
  await db.insertInto('reserved_labels').values(row).execute();
}

/** What people did last, as the audit log has it. */
function lastEntry({ service }: World) {
  return service.db
    .selectFrom('audit_log')
    .selectAll()
    .where('via', '!=', 'system')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

onBothEngines(
  'a token deletes the projects that it was created to delete, and no more',
  async (t) => {
    const service = await startDomainService(t);
    const { root } = service;
    for (const slug of ['pets', 'other', 'left']) await createProject(root, slug);
    const { token } = await makeToken(root, 'pets', ['delete']);
    const everywhere = root.withToken((await makeToken(root, undefined, ['delete'])).token);
    const remove = (who: Visitor, slug: string) =>
      who.call('DELETE', `/api/projects/${slug}`, { confirm: slug });
    const here = root.withToken(token);
    await assertError(await remove(here, 'other'), 404, 'not_found');
    assert.equal((await remove(here, 'pets')).status, 204);
    assert.equal((await remove(here, 'pets')).status, 401, 'it went with its project');
    assert.equal((await remove(everywhere, 'other')).status, 204);
    const { items } = await json<{ items: Project[] }>(await root.call('GET', '/api/projects'));
    assert.deepEqual(
      items.map(({ slug }) => slug),
      ['left'],
    );
  },
);

onBothEngines('no token makes, changes or removes an owner', async (t) => {
  const service = await startDomainService(t, { signUp: 'open' });
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  const bob = await joinAs(service, ann, 'pets', 'bob@example.com', 'owner');
  const eve = await joinAs(service, ann, 'pets', 'eve@example.com', 'viewer');
  const [annId, bobId, eveId] = [await idOf(ann), await idOf(bob), await idOf(eve)];
  const every = SCOPE_NAMES.filter((scope) => scope !== 'installation');
  for (const project of [undefined, 'pets']) {
    const bearer = ann.withToken((await makeToken(ann, project, every)).token);
    const member = (id: string) => `${PETS}/members/${id}`;
    for (const answer of [
      await bearer.call('POST', `${PETS}/invitations`, { email: 'x@example.com', role: 'owner' }),
      await bearer.call('PATCH', member(eveId), { role: 'owner' }),
      await bearer.call('PATCH', member(bobId), { role: 'viewer' }),
      await bearer.call('DELETE', member(bobId)),
      await bearer.call('DELETE', member(annId)),
    ]) {
      const message = await assertError(answer, 403, 'forbidden');
      assert.match(message, /cannot make, change or remove an owner/);
    }
    await json(await bearer.call('PATCH', member(eveId), { role: 'editor' }));
    await json(await bearer.call('PATCH', member(eveId), { role: 'viewer' }));
  }
});

test('a token that lacks a scope is told which', async (t) => {
  const service = await startDomainService(t);
  const { root } = service;
  await createProject(root, 'pets');
  const bearer = root.withToken((await makeToken(root, 'pets')).token);
  const body = { hostname: 'docs.example.test' };
  const answer = await bearer.call('POST', `${PETS}/domains`, body);
  const challenge = 'Bearer error="insufficient_scope", scope="domains"';
  assert.equal(answer.headers.get('www-authenticate'), challenge);
  assert.match(await assertError(answer, 403, 'forbidden'), /lacks the scope domains/);
});

/** Waits until a request with the token has passed the check before its body. */
async function firstUse({ db }: Service, tokenId: string): Promise<void> {
  const token = db.selectFrom('api_tokens').select('last_used_at').where('id', '=', tokenId);
  await timeUntil(async () => (await token.executeTakeFirstOrThrow()).last_used_at !== null);
}

onBothEngines('a body that arrives after the right has ended changes nothing', async (t) => {
  const service = await startDomainService(t, { signUp: 'open' });
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  const made = await makeToken(ann, 'pets', ['members']);
  const asked = request(`${service.origin}${PETS}/invitations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' },
  });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  const body = JSON.stringify({ email: 'eve@example.com', role: 'editor' });
  asked.write(body.slice(0, 5));
  await firstUse(service, made.id);
  assert.equal((await ann.call('DELETE', `/api/account/tokens/${made.id}`)).status, 204);
  asked.end(body.slice(5));
  const [{ statusCode }] = await answered;
  assert.equal(statusCode, 401);
  const { items } = await json<{ items: object[] }>(await ann.call('GET', `${PETS}/invitations`));
  assert.deepEqual(items, []);
});

onBothEngines('an empty body that arrives after the right has ended changes nothing', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  const bob = await joinAs(service, ann, 'pets', 'bob@example.com', 'editor');
  const made = await makeToken(ann, 'pets', ['members']);
  const asked = request(`${service.origin}${PETS}/members/${await idOf(bob)}`, {
    method: 'DELETE',
    headers: {
      authorization: `Bearer ${made.token}`,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    },
  });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  asked.flushHeaders();
  await firstUse(service, made.id);
  assert.equal((await ann.call('DELETE', `/api/account/tokens/${made.id}`)).status, 204);
  asked.end();
  const [{ statusCode }] = await answered;
  assert.equal(statusCode, 401);
  assert.equal((await bob.call('GET', PETS)).status, 200, 'he is a member still');
});

test('a route of the API that does not say who may call it is refused at the start', () => {
  const app = Fastify();
  guardRoutes(app, {} as Deps);
  assert.throws(
    () => app.get('/api/secrets', async () => ({})),
    /\/api\/secrets does not say who may call it/,
  );
});
