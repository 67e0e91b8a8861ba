import { accessOf } from '../../http/access.ts';
import { jsonResponse, operationsOf, type Routes, SlugParams } from '../../http/routes.ts';
import { simulate } from './simulate.ts';
import { Simulation, SimulationRequest } from './simulation.ts';

const operation = operationsOf('Domains');

/** What a check of a name finds, and would find with other records. */
export const simulationRoutes: Routes = async (app, { deps }) => {
  app.post(
    '/projects/:slug/dns-simulation',
    operation('domain.verify', 'simulateDns', 'Check a name, and what records would change', {
      description:
        'Looks at the DNS of any name as `verify` does, with records that you think of and without those that you name. Changes nothing. Too many are a 429.',
      params: SlugParams,
      body: SimulationRequest,
      response: jsonResponse(200, Simulation),
    }),
    async (request) => simulate(deps, accessOf(request).project, request.body),
  );
};
