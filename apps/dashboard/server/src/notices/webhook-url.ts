import { invalidRequest } from '../api-error.ts';
import type { Config } from '../config.ts';
import { isPrivateHost } from './receiver-address.ts';

/** What is refused here is right on a closed network, and on a developer's machine. */
const HINT = '(Whoever runs this may allow others: DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES.)';

/**
 * The URL of a receiver in its canonical spelling. Throws ApiError `invalid_request` for what cannot be one.
 * A name that leads to a private address is refused when something is sent: by then it may lead elsewhere.
 */
export function readWebhookUrl(
  text: string,
  { webhookPrivateAddresses }: Pick<Config, 'webhookPrivateAddresses'>,
): string {
  const areAllowed = webhookPrivateAddresses === 'allow';
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && areAllowed))) {
    throw invalidRequest(
      areAllowed
        ? 'url must be an http or https address, such as https://example.com/hooks.'
        : `url must be an https address, such as https://example.com/hooks.${url?.protocol === 'http:' ? ` ${HINT}` : ''}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidRequest('url must have no user and password: a signature says who sends.');
  }
  if (!areAllowed && isPrivateHost(url.hostname)) {
    throw invalidRequest(
      `url must be reachable from the internet, which ${url.hostname} is not. ${HINT}`,
    );
  }
  url.hash = '';
  return url.href;
}
