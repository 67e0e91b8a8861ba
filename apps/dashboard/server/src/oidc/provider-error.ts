/** Why a provider cannot be used: a sentence for whoever runs the installation. */
export class ProviderError extends Error {
  override name = 'ProviderError';
}

/** The most of a provider's own words that is kept, in letters. */
const MAX_WORDS = 200;

/** A provider's own words, without characters that would change how the rest of a page or a log reads. */
export function ownWords(text: unknown): string {
  const words = typeof text === 'string' ? text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim() : '';
  return [...words].slice(0, MAX_WORDS).join('');
}

/** What went wrong with a provider, in a sentence: errors of openid-client, of jose, and of connections. */
export function explainProviderError(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof ProviderError) return each.message;
  const {
    name,
    code,
    message,
    cause,
    error: oauthError,
    error_description: description,
  } = error as {
    name?: string;
    code?: string;
    message?: string;
    cause?: unknown;
    error?: unknown;
    error_description?: unknown;
  };
  if (name === 'ResponseBodyError' || name === 'AuthorizationResponseError') {
    const described = ownWords(description);
    return `The provider answered ${ownWords(oauthError)}${described && `: ${described}`}.`;
  }
  const nested =
    cause instanceof Error && cause.message !== message ? explainProviderError(cause) : '';
  const claim =
    (cause as { claim?: string; cause?: { claim?: string } } | undefined)?.claim ??
    (cause as { cause?: { claim?: string } } | undefined)?.cause?.claim;
  const about = claim === undefined ? '' : ` (${claim})`;
  const own = `${ownWords(message) || code || 'The provider failed'}${about}`;
  return nested === '' ? `${own.replace(/\.$/, '')}.` : `${own}: ${nested}`;
}
