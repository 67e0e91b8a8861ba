import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable } from '../schema-types.ts';

/** Who did what, when, from where. `GET /api/projects/{slug}/audit`, and `GET /api/audit` for all. */
export const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    at: Instant,
    actor: Type.String({ description: 'An e-mail address, `operator` or `system`.' }),
    via: Type.String({ description: 'session, token, command, system, or none.' }),
    token: Nullable(
      Type.Object(
        { id: Type.String(), name: Type.String() },
        { description: 'The API token that did it, as it was called; null for none.' },
      ),
    ),
    ip: Type.String(),
    action: Type.String({ examples: ['project.create', 'deploy.activate'] }),
    project: Nullable(
      Type.String({ description: 'The slug of the project; null for none, or one that is gone.' }),
    ),
    target: Type.String(),
    details: Type.Record(Type.Unknown()),
  },
  { $id: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;
