import { accessTo } from '../accounts/caller.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { invalidCursor, PageQuery, readPage, singlePage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  requiresReauthentication,
  SlugParams,
} from '../http/routes.ts';
import { limitsOfProject } from '../quotas/bounds.ts';
import { listProjects } from '../store/projects.ts';
import {
  DeletionConfirmation,
  NewProject,
  PLANS,
  PlanChange,
  PlanLimits,
  Project,
  ProjectChange,
} from './project.ts';
import {
  changePlan,
  changeProject,
  createProject,
  deleteProject,
  presentProject,
  projectBySlug,
} from './projects.ts';
import { isSlug } from './slug.ts';

const operation = operationsOf('Projects');

/** Projects and their plans. */
export const projectRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects',
    operation('account', 'listProjects', 'List your projects', {
      querystring: PageQuery,
      response: pageResponse(Project),
    }),
    async (request) => {
      const caller = callerOf(request);
      return readPage(
        request.query,
        (after, limit) => {
          if (after !== undefined && !isSlug(after)) throw invalidCursor();
          return listProjects(deps.db, {
            userId: caller.user.id,
            isEverywhere: caller.user.role === 'owner',
            only: caller.token?.projectId ?? undefined,
            after,
            limit,
          });
        },
        ({ project }) => project.slug,
        (found) => presentProject(deps, accessTo(caller, found)),
      );
    },
  );

  app.post(
    '/projects',
    operation('all-projects', 'createProject', 'Create a project', {
      body: NewProject,
      response: jsonResponse(201, Project, 'You are its owner.'),
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      const project = await createProject(deps, request.body, caller.user, caller.actor);
      reply.header('location', `/api/projects/${project.slug}`);
      return presentProject(deps, accessTo(caller, { project, role: 'owner' }));
    },
  );

  app.get(
    '/projects/:slug',
    operation('project.read', 'getProject', 'Get a project', {
      params: SlugParams,
      response: jsonResponse(200, Project),
    }),
    async (request) => presentProject(deps, accessOf(request)),
  );

  app.patch(
    '/projects/:slug',
    operation('project.update', 'updateProject', "Change a project's settings", {
      description:
        'With another slug, the site is at once at the new address. The old one leads there for 90 days, as do those of previews and paths of this interface (308, for GET and HEAD), and is reserved for the project and its owners meanwhile.',
      params: SlugParams,
      body: ProjectChange,
      response: jsonResponse(200, Project),
    }),
    async (request) => {
      const access = accessOf(request);
      const caller = callerOf(request);
      const project = await changeProject(deps, access.project, request.body, caller);
      return presentProject(deps, { ...access, project });
    },
  );

  app.delete(
    '/projects/:slug',
    requiresReauthentication(
      operation('project.delete', 'deleteProject', 'Delete a project', {
        description:
          'With its deploys, members and tokens. Its sites are offline at once. Its slug is reserved for its owners for 90 days.',
        params: SlugParams,
        body: DeletionConfirmation,
        response: NO_CONTENT,
      }),
    ),
    (request) =>
      deleteProject(deps, accessOf(request).project, request.body.confirm, callerOf(request)),
  );

  app.put(
    '/projects/:slug/plan',
    operation('installation', 'setPlan', "Set a project's plan", {
      params: SlugParams,
      body: PlanChange,
      response: jsonResponse(200, Project),
    }),
    async (request) => {
      const project = await projectBySlug(deps.db, request.params.slug);
      const caller = callerOf(request);
      const changed = await changePlan(deps, project, request.body.plan, caller.actor);
      return presentProject(deps, accessTo(caller, { project: changed, role: 'owner' }));
    },
  );

  app.get(
    '/plans',
    operation('account', 'listPlans', 'What each plan allows', {
      response: pageResponse(PlanLimits),
    }),
    async () =>
      singlePage(
        await Promise.all(
          Object.values(PLANS).map(({ plan }) => limitsOfProject(deps.db, { id: null, plan })),
        ),
      ),
  );
};
