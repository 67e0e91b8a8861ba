import { Type } from '@petstore/service/schema-builders.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import { conflict } from '../api-error.ts';
import { domainOrThrow } from '../domains/domains.ts';
import { isWildcard } from '../domains/wildcard.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { Site, SiteSource } from '../edge/sites/site-source.ts';
import { accessOf } from '../http/access.ts';
import { operationsOf, type Routes, SlugParams } from '../http/routes.ts';
import type { DomainRow } from '../store/domains.ts';
import { siteSource } from '../store/sites.ts';

const operation = operationsOf('Projects');

/** Each reads a whole site: as many as anyone needs. */
const EXPORTS = { limit: 60, windowMs: 3_600_000 } as const;

const ExportQuery = Type.Object({
  hostname: Type.Optional(
    Type.String({
      maxLength: 512,
      description:
        "A domain of the project, whose name the pages have as their own; absent: the site's own.",
    }),
  ),
});

/** What a domain shows by itself: one version, perhaps. undefined: it shows nothing yet, or leads elsewhere. */
async function shownAt(source: SiteSource, { hostname }: DomainRow): Promise<Site | undefined> {
  const site = await source.findSite(hostname as CanonicalHost);
  return site && !site.redirect && !site.isEmpty ? site : undefined;
}

/** The site of a project as files, for whoever wants to serve it elsewhere. */
export const exportRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/export',
    operation('project.read', 'exportSite', 'Download the site as static files', {
      description:
        'The pages and files that the site shows now, of all its versions, with its redirects as `_redirects`, for nginx and as JSON: a `.tar.gz`. At most 60 in an hour.',
      params: SlugParams,
      querystring: ExportQuery,
      response: {
        200: {
          description: 'The archive.',
          content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
        },
      },
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const { hostname } = request.query;
      const { db, config, addresses, sealer, now } = deps;
      const domain =
        hostname === undefined ? undefined : await domainOrThrow(db, project, hostname);
      await limitRate(
        db,
        `export:${project.id}`,
        EXPORTS,
        now(),
        () => 'This site was downloaded often lately. Try again later.',
      );
      const { platformHost } = config;
      const source = siteSource({ db, platformHost, addresses, sealer, now });
      const site =
        (domain && (await shownAt(source, domain))) ??
        (await source.findSite(`${project.slug}.${platformHost}` as CanonicalHost));
      if (!site) throw conflict('Deploy the project first: its site has nothing to download yet.');
      // A wildcard has many names, and the site has one.
      const own = domain && !isWildcard(domain.hostname) ? domain.hostname : undefined;
      const origin = own === undefined ? site.origin : `https://${own}`;
      const name = own ?? project.slug;
      // Loaded here: few processes ever make an archive.
      const { exportSite } = await import('./export-site.ts');
      reply
        .type('application/gzip')
        .header('content-disposition', `attachment; filename="${name}.tar.gz"`);
      return exportSite(source, { ...site, origin });
    },
  );
};
