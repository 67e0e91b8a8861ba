import { Type } from '@petstore/service/schema-builders.ts';
import { callerOf } from '../http/access.ts';
import { PageQuery } from '../http/pagination.ts';
import { operationsOf, pageResponse, type Routes } from '../http/routes.ts';
import { OneOf } from '../schema-types.ts';
import { readPeople } from './people.ts';
import { Person } from './person.ts';

const operation = operationsOf('People');

const PeopleQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(
    Type.String({ maxLength: 254, description: 'Part of a name or an address, in either case.' }),
  ),
  state: Type.Optional(OneOf(['active', 'disabled'])),
});

/** The accounts of the installation, for its owner. */
export const peopleRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/installation/users',
    operation('installation', 'listPeople', 'List all accounts', {
      querystring: PeopleQuery,
      response: pageResponse(Person),
    }),
    async (request) => readPeople(deps, request.query, callerOf(request).user.id),
  );
};
