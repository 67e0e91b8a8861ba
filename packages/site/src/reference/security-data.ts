import { prefix, truncate } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { sandboxOffer } from '../openapi/sandbox-offer.ts';
import { requirementsOf, securityScheme } from '../openapi/security.ts';
import { FLOW_NAMES } from '../request/flow-names.ts';
import type {
  FlowData,
  FlowType,
  NeededScheme,
  OperationData,
  SchemeData,
  ScopeData,
} from '../request/operation-data.ts';
import type { ReferenceContext } from './reference-context.ts';

const MAX_ALTERNATIVES = 20;
const MAX_SCOPES = 60;
const MAX_DESCRIPTION = 200;

/** The alternatives of an operation's security, and the schemes that they name. */
export function securityData(
  context: ReferenceContext,
  operation: Record<string, unknown>,
): Pick<OperationData, 'security' | 'schemes'> {
  const alternatives = requirementsOf(context.document, operation).slice(0, MAX_ALTERNATIVES);
  const schemes = new Map<string, SchemeData>();
  const security = alternatives.map((alternative) =>
    Object.entries(alternative).map(([name, value]): NeededScheme => {
      const scopes = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
      const scheme = securityScheme(context.document, name);
      const needed = [...new Set([...scopes, ...neededScopes(schemes.get(name))])];
      const data = scheme && schemeData(context, name, scheme, needed);
      if (data !== undefined) schemes.set(name, data);
      return scopes.length > 0 ? [name, scopes] : [name];
    }),
  );
  const isNeeded = security.some((alternative) => alternative.length > 0);
  return isNeeded ? { security, schemes: [...schemes.values()] } : {};
}

const neededScopes = (scheme: SchemeData | undefined) =>
  scheme?.flows?.flatMap(({ scopes = [] }) => scopes.map(([name]) => name)) ?? [];

function schemeData(
  { document, descriptions, addresses: { address } }: ReferenceContext,
  name: string,
  scheme: Record<string, unknown>,
  needed: readonly string[],
): SchemeData | undefined {
  const plain = (value: unknown) =>
    truncate(descriptions.plain(prefix(textOf(value), 4 * MAX_DESCRIPTION)), MAX_DESCRIPTION);
  const description = plain(scheme.description);
  const offer = sandboxOffer(document, scheme);
  const base = {
    name,
    ...(address !== undefined && { api: address }),
    ...(description !== '' && { description }),
    ...(typeof offer === 'object' && { sandbox: offer }),
    ...(scheme.deprecated === true && { deprecated: true }),
  };
  switch (scheme.type) {
    case 'apiKey': {
      const key = textOf(scheme.name);
      const { in: where } = scheme;
      if (where !== 'query' && where !== 'header' && where !== 'cookie') return undefined;
      return { ...base, type: 'apiKey', in: where, key };
    }
    case 'http': {
      const format = prefix(textOf(scheme.bearerFormat), MAX_DESCRIPTION);
      const kind = textOf(scheme.scheme).toLowerCase();
      return { ...base, type: 'http', scheme: kind, ...(format && { bearerFormat: format }) };
    }
    case 'openIdConnect':
      return { ...base, type: 'openIdConnect', discovery: textOf(scheme.openIdConnectUrl) };
    case 'oauth2': {
      const flows = isObject(scheme.flows) ? scheme.flows : {};
      const metadata = textOf(scheme.oauth2MetadataUrl);
      return {
        ...{ ...base, type: 'oauth2', flows: flowsOf(flows, needed, plain) },
        ...(metadata && { metadata }),
      };
    }
    case 'mutualTLS':
      return { ...base, type: 'mutualTLS' };
    default:
      return undefined;
  }
}

const ADDRESSES = ['authorizationUrl', 'tokenUrl', 'refreshUrl', 'deviceAuthorizationUrl'] as const;

function flowsOf(
  flows: Record<string, unknown>,
  needed: readonly string[],
  plain: (value: unknown) => string,
): FlowData[] {
  return (Object.keys(FLOW_NAMES) as FlowType[]).flatMap((type): FlowData[] => {
    const flow = Object.hasOwn(flows, type) ? flows[type] : undefined;
    if (!isObject(flow)) return [];
    const addresses = ADDRESSES.filter((name) => textOf(flow[name]) !== '').map((name) => [
      name,
      textOf(flow[name]),
    ]);
    const scopes = scopesOf(flow.scopes, needed, plain);
    return [{ type, ...Object.fromEntries(addresses), ...(scopes.length > 0 && { scopes }) }];
  });
}

/** The scopes that the operation needs; where it names none, the first ones of the flow. */
function scopesOf(
  declared: unknown,
  needed: readonly string[],
  plain: (value: unknown) => string,
): ScopeData[] {
  const all = isObject(declared) ? declared : {};
  const names = needed.length > 0 ? needed : Object.keys(all);
  return names.slice(0, MAX_SCOPES).map((name): ScopeData => {
    const description = Object.hasOwn(all, name) ? plain(all[name]) : '';
    return description === '' ? [name] : [name, description];
  });
}
