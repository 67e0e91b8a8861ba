/** The page of this site that authorization servers send readers back to. Its name stays, since it is registered there. */
export const CALLBACK_PATH = '/_assets/oauth-callback.html';

/**
 * By this the page tells the panel what came. A window's `opener` would not do: authorization servers cut it off with
 * `Cross-Origin-Opener-Policy`.
 */
export const CALLBACK_CHANNEL = 'oauth-callback';
