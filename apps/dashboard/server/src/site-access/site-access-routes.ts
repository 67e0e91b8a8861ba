import type { Caller } from '../accounts/caller.ts';
import { configuredSource } from '../configured-edge.ts';
import type { Deps } from '../deps.ts';
import { type Accent, signInPage, styleHash } from '../edge/access/sign-in-page.ts';
import { listGroupsToChoose } from '../groups/project-groups.ts';
import { accessOf, callerOf } from '../http/access.ts';
import {
  ItemParams,
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  type Routes,
  requiresReauthentication,
  SlugParams,
} from '../http/routes.ts';
import { instant } from '../schema-types.ts';
import { findLook } from '../store/private-site.ts';
import { findProjectById, type ProjectRow } from '../store/projects.ts';
import { findSiteAccess, listAccessGroups, listSiteKeys } from '../store/site-access.ts';
import { countSiteSessions } from '../store/site-sessions.ts';
import {
  addSiteKey,
  changeAccess,
  endSiteSessions,
  presentKey,
  removeSiteKey,
  removeSitePassword,
  setSitePassword,
} from './change-access.ts';
import { issueTicket } from './issue-ticket.ts';
import {
  EndedSiteSessions,
  NewSiteKey,
  PreviewQuery,
  SiteAccess,
  SiteAccessChange,
  SiteKey,
  SitePassword,
  SiteSignIn,
  SiteTicket,
} from './site-access.ts';

const operation = operationsOf('Private sites');

/** More groups than anybody scrolls through. */
const MAX_GROUPS = 1_000;

/** Who may read the sites of a project, and how readers with an account come in. */
export const siteAccessRoutes: Routes = async (app, { deps }) => {
  const source = configuredSource(deps.config, deps);

  app.get(
    '/projects/:slug/access',
    operation('project.read', 'getSiteAccess', "Who may read the project's sites", {
      params: SlugParams,
      response: jsonResponse(200, SiteAccess),
    }),
    async (request) => {
      const { project, can } = accessOf(request);
      const isOwner = can.includes('project.update');
      return presentAccess(deps, project, isOwner ? callerOf(request) : undefined);
    },
  );

  app.patch(
    '/projects/:slug/access',
    operation('project.update', 'changeSiteAccess', 'Change who may read', {
      description: 'It holds within a second at every edge.',
      params: SlugParams,
      body: SiteAccessChange,
      response: jsonResponse(200, SiteAccess),
    }),
    async (request) => {
      const { project } = accessOf(request);
      const caller = callerOf(request);
      await changeAccess(deps, project, request.body, caller);
      const changed = await findProjectById(deps.db, project.id);
      return presentAccess(deps, changed ?? project, caller);
    },
  );

  app.put(
    '/projects/:slug/access/password',
    operation('project.update', 'setSitePassword', 'Set the shared password', {
      description: 'Whoever came in by an earlier one is out.',
      params: SlugParams,
      body: SitePassword,
      response: NO_CONTENT,
    }),
    (request) =>
      setSitePassword(deps, accessOf(request).project, request.body.password, callerOf(request)),
  );

  app.delete(
    '/projects/:slug/access/password',
    operation('project.update', 'removeSitePassword', 'Remove the shared password', {
      description: 'Whoever came in by it is out.',
      params: SlugParams,
      response: NO_CONTENT,
    }),
    (request) => removeSitePassword(deps, accessOf(request).project, callerOf(request)),
  );

  app.post(
    '/projects/:slug/access/keys',
    requiresReauthentication(
      operation('project.update', 'addSiteKey', 'Register a key that signs links', {
        params: SlugParams,
        body: NewSiteKey,
        response: jsonResponse(201, SiteKey, 'The key.'),
      }),
    ),
    (request) => addSiteKey(deps, accessOf(request).project, request.body, callerOf(request)),
  );

  app.delete(
    '/projects/:slug/access/keys/:id',
    operation('project.update', 'removeSiteKey', 'Remove a key', {
      description: 'Whoever came in by it is out.',
      params: ItemParams,
      response: NO_CONTENT,
    }),
    (request) =>
      removeSiteKey(deps, accessOf(request).project, request.params.id, callerOf(request)),
  );

  app.delete(
    '/projects/:slug/access/sessions',
    operation('project.update', 'endSiteSessions', 'Sign all readers out', {
      description:
        'It holds within a second at every edge. API tokens, and tokens that are signed with a key, go on.',
      params: SlugParams,
      response: jsonResponse(200, EndedSiteSessions),
    }),
    async (request) => ({
      sessions: await endSiteSessions(deps, accessOf(request).project, callerOf(request)),
    }),
  );

  app.get(
    '/projects/:slug/access/preview',
    operation('project.read', 'previewSignIn', 'The page that visitors of a private site see', {
      params: SlugParams,
      querystring: PreviewQuery,
      response: {
        200: {
          description: 'The page. Its form leads nowhere.',
          content: { 'text/html': { schema: { type: 'string' } } },
        },
      },
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const row = await findSiteAccess(deps.db, project.id);
      const keys = await listSiteKeys(deps.db, project.id);
      const { password = `${(row?.password_hash ?? null) !== null}` } = request.query;
      const shown = {
        ...{ name: project.name, accent: await accentOf(deps, project), to: '/' },
        ...{ hasPassword: password === 'true', hasLinks: keys.length > 0, isPreview: true },
      };
      reply.header(
        'content-security-policy',
        `default-src 'none'; style-src '${styleHash(shown)}'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox`,
      );
      return reply.type('text/html; charset=utf-8').send(signInPage(shown).text);
    },
  );

  app.post(
    '/site-sign-in',
    operation('session', 'signInToSite', 'Go on to a private site, signed in', {
      description: 'By the page to which a private site sends those who have an account.',
      body: SiteSignIn,
      response: jsonResponse(200, SiteTicket),
    }),
    async (request) => ({
      url: await issueTicket(deps, source, request.body, callerOf(request)),
    }),
  );

  async function accentOf({ db }: Deps, project: ProjectRow): Promise<Accent | undefined> {
    const look = await findLook(db, project);
    return look === undefined ? undefined : (await source.readManifest(look))?.accent;
  }
};

/** `owner`: they are told which groups they may choose. */
async function presentAccess(
  deps: Pick<Deps, 'db' | 'addresses' | 'now' | 'config'>,
  project: ProjectRow,
  owner: Caller | undefined,
): Promise<SiteAccess> {
  const { db, addresses, now } = deps;
  const row = await findSiteAccess(db, project.id);
  const groups = await listAccessGroups(db, project.id);
  const isChosen = (id: string) => groups.some((group) => group.id === id);
  const choices = owner ? await listGroupsToChoose(deps, owner, MAX_GROUPS) : [];
  const others = choices.filter(({ id }) => !isChosen(id)).map(({ id, name }) => ({ id, name }));
  return {
    private: project.private,
    password: row?.password_at ? { setAt: instant(row.password_at) } : null,
    everyone: row?.everyone === 1,
    groups,
    allGroups: owner
      ? [...groups, ...others].sort((one, other) => one.name.localeCompare(other.name))
      : [],
    keys: (await listSiteKeys(db, project.id)).map(presentKey),
    sessions: await countSiteSessions(db, project.id, now()),
    audience: addresses().site(project.slug),
  };
}
