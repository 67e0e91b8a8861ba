import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Nullable, OneOf, ref } from '../schema-types.ts';

/** The results of a DNS check. Clients rely on these codes; a retired one is never reused. */
export const VERDICT_CODES = [
  'verified',
  'no_record',
  'wrong_target',
  'conflicting_record',
  'apex_cname',
  'apex_wrong_address',
  'ownership_missing',
  'near_miss',
  'caa_blocks',
  'dns_error',
] as const;

/** A record that the zone should hold. */
export const DnsRecord = Type.Object(
  {
    type: OneOf(['CNAME', 'ALIAS', 'TXT', 'CAA', 'A', 'AAAA', 'NS']),
    name: Type.String({ description: 'The whole name, without a last dot.' }),
    /** As most DNS panels want it: without the zone's own name, `@` for the zone itself. */
    host: Type.String({ description: 'The name as most DNS panels want it, such as `docs`.' }),
    value: Type.String(),
    ttl: Type.Integer({ description: 'Seconds.' }),
  },
  { $id: 'DnsRecord' },
);
export type DnsRecord = Static<typeof DnsRecord>;

/** What is wrong, where, and how to correct it, in sentences for whoever manages the DNS. */
export const Verdict = Type.Object(
  {
    code: OneOf(VERDICT_CODES),
    reason: Type.String({
      description: 'The case within the code, such as `servfail` of `dns_error`.',
    }),
    message: Type.String({ description: 'What is the matter, in one sentence.' }),
    expected: Type.String(),
    found: Type.String(),
    remedy: Type.String({ description: 'What to do; empty when verified.' }),
    /** The records of the remedy. */
    add: Type.Array(ref(DnsRecord)),
    remove: Type.Array(
      Type.Object({ type: Type.String(), name: Type.String(), value: Type.String() }),
    ),
    retryAfterSeconds: Nullable(
      Type.Integer({ description: 'How long resolvers go on giving what they know by now.' }),
    ),
    /** Only with the verdict `verified`, where there are several. */
    authorities: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          directoryUrl: Type.String(),
          identity: Type.String({ description: 'Its name in CAA records.' }),
          isAllowed: Type.Boolean({ description: 'Whether CAA records let it issue.' }),
        }),
        { description: 'Which certificate authorities may issue for the name, in their order.' },
      ),
    ),
  },
  { $id: 'Verdict' },
);
export type Verdict = Static<typeof Verdict>;
