import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Nullable } from '../schema-types.ts';

/** `GET /api/projects/{slug}/domains/{hostname}/domain-connect`; all null where there is no offer. */
export const DomainConnectOffer = Type.Object(
  {
    provider: Nullable(
      Type.String({ description: 'The name of the DNS provider; null: none that offers it.' }),
    ),
    applyUrl: Nullable(
      Type.String({
        description: 'Where whoever has the DNS agrees that the records are created.',
      }),
    ),
    state: Nullable(
      Type.String({ description: "The provider adds it to the address of the domain's page." }),
    ),
  },
  { $id: 'DomainConnectOffer' },
);
export type DomainConnectOffer = Static<typeof DomainConnectOffer>;
