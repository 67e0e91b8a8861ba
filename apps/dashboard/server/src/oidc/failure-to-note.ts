import type { Discovered } from './discover.ts';
import { ProviderError } from './provider-error.ts';

/** Errors that a provider sends a browser back with where the dashboard is set up wrongly (RFC 6749, section 4.1.2.1). */
const OF_THE_SET_UP = [
  'invalid_request',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
];

/**
 * What of a failed sign-in the installation's owner is shown as the provider's failure; undefined: nothing. `callback`:
 * the address that the browser came back to. Its owner writes what is in there, and the code as well: they neither put
 * words into a provider's mouth nor make a provider that works look broken.
 */
export function failureToNote(error: unknown, callback: URL, found: Discovered): unknown {
  const { name, error: code } = error as { name?: string; error?: string };
  if (name === 'AuthorizationResponseError')
    return OF_THE_SET_UP.includes(code ?? '')
      ? new ProviderError(`A browser came back from the provider with ${code}.`)
      : undefined;
  if (name === 'ResponseBodyError' && code === 'invalid_grant') return undefined;
  return isAnswer(callback, found) ? error : undefined;
}

/** Whether a provider sends browsers back so: with one code, as itself (RFC 9207), and nothing of other flows. */
function isAnswer({ searchParams }: URL, { client, issuer }: Discovered): boolean {
  const { authorization_response_iss_parameter_supported: namesItself } = client.serverMetadata();
  const iss = searchParams.getAll('iss');
  const isItself = iss.length === 0 ? !namesItself : iss.length === 1 && iss[0] === issuer;
  const [code = '', second] = searchParams.getAll('code');
  const isOfOtherFlow = ['response', 'id_token', 'token'].some((each) => searchParams.has(each));
  return isItself && code !== '' && second === undefined && !isOfOtherFlow;
}
