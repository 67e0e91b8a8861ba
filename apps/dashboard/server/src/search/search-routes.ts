import { callerOf } from '../http/access.ts';
import { jsonResponse, operationsOf, type Routes } from '../http/routes.ts';
import { type SearchedBy, searchAll } from '../store/search.ts';
import { presentFoundDeploy } from './present-found.ts';
import { SearchQuery, SearchResults } from './search.ts';
import { searchWords } from './search-words.ts';

const operation = operationsOf('Search');

/** Finds what the caller may see, by a few letters of it. */
export const searchRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/search',
    operation('account', 'search', 'Find projects, deploys, domains and people', {
      description:
        'Among what you may see. Deploys are found by id, number, message, author, commit, branch, version and file: an older one by its whole id or in its project, for the newest 20,000 of all that you see are looked at.',
      querystring: SearchQuery,
      response: jsonResponse(200, SearchResults),
    }),
    async (request) => {
      const { user, token } = callerOf(request);
      const searched: SearchedBy = {
        userId: user.id,
        isEverywhere: user.role === 'owner',
        only: token?.projectId ?? undefined,
      };
      const { q, project } = request.query;
      const found = await searchAll(deps.db, searched, searchWords(q), project);
      return { ...found, deploys: found.deploys.map(presentFoundDeploy) };
    },
  );
};
