import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Nullable, OneOf, ref } from '../../schema-types.ts';
import { CHANGEABLE_TYPES } from '../dns/outcome.ts';
import { DnsRecord, Verdict } from '../verdict.ts';

const MAX_SET = 10;
const MAX_REMOVED = 30;

const Text = Type.String({ minLength: 1, maxLength: 2_048 });

/** `POST /api/projects/{slug}/dns-simulation` */
export const SimulationRequest = Type.Object({
  hostname: Type.String({ minLength: 1, maxLength: 512, description: 'As people write it.' }),
  set: Type.Optional(
    Type.Array(
      Type.Object({
        type: OneOf(CHANGEABLE_TYPES),
        name: Type.String({
          minLength: 1,
          maxLength: 512,
          description: 'The whole name, in the domain of `hostname`.',
        }),
        value: Text,
      }),
      {
        maxItems: MAX_SET,
        description:
          'Records that are not there, as zone files have them. A CNAME replaces the one at its name.',
      },
    ),
  ),
  remove: Type.Optional(
    Type.Array(Type.Object({ type: Type.String({ maxLength: 10 }), name: Text, value: Text }), {
      maxItems: MAX_REMOVED,
      description: 'Records that are taken as removed, as a verdict names them.',
    }),
  ),
  authority: Type.Optional(
    Type.String({
      maxLength: 253,
      description: 'The name in CAA records of one more authority, such as `ca.example`.',
    }),
  ),
});
export type SimulationRequest = Static<typeof SimulationRequest>;

/** Whether CAA records let an authority issue a certificate. */
const Permission = Type.Object({
  isAllowed: Type.Boolean(),
  reason: Nullable(
    Type.String({
      description:
        'Why not: `issuer`, `accounturi`, `validationmethods`, `unknown_critical` or `unanswered`.',
    }),
  ),
  explanation: Type.String(),
});

const AuthorityPermission = Type.Object({
  name: Type.String(),
  identity: Type.String({ description: 'Its name in CAA records.' }),
  isConfigured: Type.Boolean({ description: 'The dashboard asks it for certificates.' }),
  ...Permission.properties,
  wildcard: Type.Object(Permission.properties, {
    description: 'The same for a certificate of all names below the name (`issuewild`).',
  }),
  /** The CAA record that allows it. */
  record: Nullable(ref(DnsRecord)),
});
export type AuthorityPermission = Static<typeof AuthorityPermission>;

const Record = Type.Object({ type: Type.String(), name: Type.String(), value: Type.String() });

const Climb = Type.Object({
  server: Type.String(),
  steps: Type.Array(
    Type.Object({
      name: Type.String(),
      aliases: Type.Array(Record, { description: 'CNAME records that were followed.' }),
      records: Type.Array(Record),
      failure: Nullable(Type.String()),
    }),
  ),
});

export const Simulation = Type.Object(
  {
    hostname: Type.String(),
    unicode: Type.String(),
    isDomain: Type.Boolean({ description: 'The project has the name.' }),
    target: Type.String({
      description: 'Where its record has to lead; for a name that is not added, an example.',
    }),
    verdict: ref(Verdict),
    /** Without the records of the request; null where it has none. */
    today: Nullable(ref(Verdict)),
    consequences: Type.Array(Type.String(), { description: 'What these records would bring.' }),
    climb: Type.Array(Climb, {
      description: 'How each server leads to the CAA records that apply (RFC 8659, section 3).',
    }),
    decidedAt: Nullable(
      Type.String({ description: 'The name that has them; null: nobody is kept from issuing.' }),
    ),
    authorities: Type.Array(AuthorityPermission),
    dnssec: OneOf(['valid', 'broken', 'unknown']),
  },
  { $id: 'Simulation' },
);
export type Simulation = Static<typeof Simulation>;
