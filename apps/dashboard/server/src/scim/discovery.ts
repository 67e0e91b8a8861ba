import { MAX_COUNT } from './list.ts';
import { type Attribute, GROUP, type ResourceType, SCHEMAS, type Schema, USER } from './schema.ts';

const metaOf = (resourceType: string, location: string) => ({ meta: { resourceType, location } });

/** What SCIM can do here (RFC 7643, section 5). */
export function serviceProviderConfig(address: string) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_COUNT },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description:
          'A provisioning token, made on Installation, Groups: Authorization: Bearer scim_…',
        primary: true,
      },
    ],
    ...metaOf('ServiceProviderConfig', `${address}/ServiceProviderConfig`),
  };
}

/** The kinds of resources (RFC 7643, section 6). */
export function resourceTypes(address: string) {
  return [USER, GROUP].map(({ name, endpoint, schema, extension }: ResourceType) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...{ id: name, name, endpoint, description: schema.description, schema: schema.id },
    schemaExtensions: extension ? [{ schema: extension.id, required: false }] : [],
    ...metaOf('ResourceType', `${address}/ResourceTypes/${name}`),
  }));
}

/** The schemas (RFC 7643, section 7). */
export function schemas(address: string) {
  return SCHEMAS.map(({ id, name, description, attributes }: Schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...{ id, name, description, attributes: attributes.map(describe) },
    ...metaOf('Schema', `${address}/Schemas/${id}`),
  }));
}

function describe(attribute: Attribute): Record<string, unknown> {
  const { name, type, description, multiValued, required, caseExact, sub } = attribute;
  return {
    ...{ name, type, description },
    multiValued: multiValued ?? false,
    required: required ?? false,
    ...(type !== 'complex' && { caseExact: caseExact ?? false }),
    mutability: attribute.mutability ?? 'readWrite',
    returned: attribute.returned ?? 'default',
    uniqueness: attribute.uniqueness ?? 'none',
    ...(type === 'reference' && { referenceTypes: ['User', 'Group', 'external'] }),
    ...(sub && { subAttributes: sub.map(describe) }),
  };
}
