import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AccountLink } from '../../../server/src/accounts/account.ts';
import { hasStatus } from '../api.ts';
import { accountLinkQuery } from '../queries/account.ts';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { AuthPage } from './auth-page.tsx';

interface AccountLinkPageProps {
  readonly title: string;
  readonly kind: AccountLink['kind'];
  readonly children: (link: AccountLink, secret: string) => ReactNode;
}

/** A page that someone's link leads to. Its secret is the fragment, which no server sees in the address. */
export function AccountLinkPage({ title, kind, children }: AccountLinkPageProps) {
  const { hash: secret } = useLocation();
  const link = useQuery(accountLinkQuery(secret));
  if (hasStatus(link.error, 404) || (link.data && link.data.kind !== kind)) {
    return (
      <AuthPage
        title="This link does not work any more"
        footer={
          <Link to="/sign-in" className={TEXT_LINK}>
            Go to sign in
          </Link>
        }
      >
        <p className="text-muted">
          It was used, has ended, or was replaced by a newer one; or it is not complete. Ask for
          another one.
        </p>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={title}>
      <QueryView query={link} skeleton={<Skeleton className="h-32" />}>
        {(open) => children(open, secret)}
      </QueryView>
    </AuthPage>
  );
}
