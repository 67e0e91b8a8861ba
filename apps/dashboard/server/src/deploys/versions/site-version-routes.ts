import { Type } from '@petstore/service/schema-builders.ts';
import { accessOf, callerOf } from '../../http/access.ts';
import { singlePage } from '../../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../../http/routes.ts';
import { SiteVersion, SiteVersionChange } from './site-version.ts';
import { changeDefault, readVersion, readVersions, retireVersion } from './site-versions.ts';

const operation = operationsOf('Versions');

const VersionParams = Type.Object({ ...SlugParams.properties, version: Type.String() });

/** The versions of a project's site. A deploy with `version` opens one. */
export const siteVersionRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/versions',
    operation('deploy.read', 'listVersions', 'List versions, the newest first, retired ones last', {
      params: SlugParams,
      response: pageResponse(SiteVersion),
    }),
    async (request) => singlePage(await readVersions(deps, accessOf(request).project)),
  );

  app.patch(
    '/projects/:slug/versions/:version',
    operation('deploy.activate', 'updateVersion', 'Choose the default version', {
      description:
        "The site's address leads to the default version, others point to it, and search engines find it alone.",
      params: VersionParams,
      body: SiteVersionChange,
      response: jsonResponse(200, SiteVersion),
    }),
    async (request) => {
      const { version } = request.params;
      const isDefault = request.body.default;
      const caller = callerOf(request);
      const { project } = accessOf(request);
      const changed = await changeDefault(deps, project, version, isDefault, caller);
      return readVersion(deps, changed, version);
    },
  );

  app.delete(
    '/projects/:slug/versions/:version',
    operation('deploy.create', 'retireVersion', 'Retire a version', {
      description:
        'Its addresses redirect to the default version, to the same page where there is one. The files of its deploys are removed. Another deploy of the version takes it up again.',
      params: VersionParams,
      response: NO_CONTENT,
    }),
    (request) =>
      retireVersion(deps, accessOf(request).project, request.params.version, callerOf(request)),
  );
};
