import { isPrivateHost } from '@petstore/http/reachable-addresses.ts';

/** Why a text is not the URL of a receiver, as a sentence about `url`. */
export class ReceiverUrlError extends Error {
  override name = 'ReceiverUrlError';
}

interface ReceiverUrlOptions {
  /** Whether receivers may be in private networks, and use http. */
  readonly allowsPrivate: boolean;
  /** The setting with which whoever runs the program allows that. */
  readonly setting: string;
}

/**
 * The URL of a receiver in its canonical spelling. Throws ReceiverUrlError where it cannot be one. A name that leads to
 * a private address is refused only when a message is sent: by then it may lead elsewhere.
 */
export function readReceiverUrl(
  text: string,
  { allowsPrivate, setting }: ReceiverUrlOptions,
): string {
  // Private addresses are useful on a closed network, and on a developer's machine.
  const hint = `(Whoever runs this may allow others: ${setting}.)`;
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && allowsPrivate))) {
    throw new ReceiverUrlError(
      allowsPrivate
        ? 'url must be an http or https address, such as https://example.com/hooks.'
        : `url must be an https address, such as https://example.com/hooks.${url?.protocol === 'http:' ? ` ${hint}` : ''}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new ReceiverUrlError(
      'url must not have a user or password: receivers verify the signature instead.',
    );
  }
  if (!allowsPrivate && isPrivateHost(url.hostname)) {
    throw new ReceiverUrlError(
      `url must be reachable from the internet, which ${url.hostname} is not. ${hint}`,
    );
  }
  url.hash = '';
  return url.href;
}
