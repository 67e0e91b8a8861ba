import type { FlowType } from './operation-data.ts';

/** The flows of OAuth 2.0, the easiest for a reader first. */
export const FLOW_NAMES: Readonly<Record<FlowType, string>> = {
  authorizationCode: 'Authorization code',
  clientCredentials: 'Client credentials',
  deviceAuthorization: 'Device authorization',
  password: 'Resource owner password',
  implicit: 'Implicit',
};
