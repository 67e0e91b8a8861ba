import { Type } from '@petstore/service/schema-builders.ts';
import { clientAddress } from '../http/client-address.ts';
import { jsonResponse, NO_CONTENT, operationsOf, type Routes } from '../http/routes.ts';
import { instant } from '../schema-types.ts';
import { AccountLink, ForgottenPassword, LinkUse, PasswordReset } from './account.ts';
import { openAccountLink } from './account-links.ts';
import { confirmEmail } from './email-change.ts';
import { rememberBrowser } from './known-browser.ts';
import { requestPasswordLink, resetPassword } from './password-links.ts';

const operation = operationsOf('Account links');

/** Links by which the owner of an account, without signing in, confirms an address or sets a password. */
export const accountLinkRoutes: Routes = async (app, { deps }) => {
  app.post(
    '/forgotten-password',
    operation('public', 'requestPasswordLink', 'Ask for a link to set a password', {
      description:
        'The link is mailed, if the address has an account. The response is the same whether or not it has one. A 409 where the installation sends no mail: its owner makes links.',
      body: ForgottenPassword,
      response: { 202: Type.Object({}, { description: 'See your mailbox.' }) },
    }),
    async (request) => {
      await requestPasswordLink(deps, request.body.email, clientAddress(request));
      return {};
    },
  );

  // The secret is in the body, since addresses end up in logs.
  app.post(
    '/account-links/look-up',
    operation('public', 'getAccountLink', 'What a link is for', {
      body: LinkUse,
      response: jsonResponse(200, AccountLink),
    }),
    async (request) => {
      const { kind, email, expires_at } = await openAccountLink(deps, request.body.secret);
      return { kind, email, expiresAt: instant(expires_at) };
    },
  );

  app.post(
    '/account-links/password',
    operation('public', 'resetPassword', 'Set a password by a link', {
      description: 'Ends all sessions of the account. Sign in afterwards.',
      body: PasswordReset,
      response: NO_CONTENT,
    }),
    async (request, reply) => {
      const user = await resetPassword(deps, request.body, clientAddress(request));
      // Whoever tried too many passwords before does not keep them from the new one.
      rememberBrowser(request, reply, deps, user);
    },
  );

  app.post(
    '/account-links/email',
    operation('public', 'confirmEmail', 'Confirm an address by a link', {
      body: LinkUse,
      response: NO_CONTENT,
    }),
    async (request) => {
      await confirmEmail(deps, request.body.secret, clientAddress(request));
    },
  );
};
