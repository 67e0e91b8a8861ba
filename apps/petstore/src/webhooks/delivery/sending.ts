import { isPublicAddress } from '@petstore/http/networks.ts';

/** How long a receiver may take to respond, in milliseconds: it should respond first and work then. */
export const SEND_TIMEOUT_MS = 10_000;

/** How webhooks are sent. */
export function sending(allowsPrivate: boolean) {
  return {
    timeoutMs: SEND_TIMEOUT_MS,
    userAgent: 'petstore-webhooks',
    dnsServers: [],
    isAllowed: allowsPrivate ? () => true : isPublicAddress,
  };
}
