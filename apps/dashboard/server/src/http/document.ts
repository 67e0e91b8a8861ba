import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { ApiToken, Installation, MadeToken, Session, User } from '../accounts/account.ts';
import { AuditEntry } from '../audit/audit-entry.ts';
import { Deploy, DeploySummary, LogLine } from '../deploys/deploy.ts';
import {
  Invitation,
  MadeInvitation,
  Member,
  OpenInvitation,
  PlanLimits,
  Project,
} from '../projects/project.ts';
import { ErrorBody } from '../schema-types.ts';

/** What the document names; a schema comes after those that it refers to. */
export const SCHEMAS = [
  ErrorBody,
  Installation,
  User,
  Session,
  ApiToken,
  MadeToken,
  DeploySummary,
  Deploy,
  LogLine,
  PlanLimits,
  Project,
  Member,
  Invitation,
  MadeInvitation,
  OpenInvitation,
  AuditEntry,
];

/** The document of this API, collected from the routes' schemas. */
export function documentOptions(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Dashboard',
        version,
        description:
          'Hosts API documentation: projects, deploys, members. Programs send an API token; browsers have a session.',
      },
      servers: [{ url: '/' }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    refResolver: {
      buildLocalReference: (schema, _baseUri, _fragment, index) =>
        `${schema.$id ?? `schema-${index}`}`,
    },
  };
}
