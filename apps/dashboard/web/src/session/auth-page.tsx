import type { ReactNode } from 'react';
import { Logo } from '../ui/logo.tsx';
import { DocumentTitle } from '../ui/page.tsx';

interface AuthPageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Below the card: a link to the other page. */
  readonly footer?: ReactNode;
}

/** A page for those who are not signed in: one card in the middle. */
export function AuthPage({ title, description, children, footer }: AuthPageProps) {
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-100 content-center gap-6 px-4 py-10">
      <DocumentTitle>{title}</DocumentTitle>
      <div className="grid justify-items-center gap-4 text-center">
        <Logo className="size-10" />
        <div>
          <h1 className="font-semibold text-[1.375rem] leading-8 tracking-[-0.02em]">{title}</h1>
          {description && <p className="mt-1 text-muted">{description}</p>}
        </div>
      </div>
      <div className="rounded-xl border border-line bg-surface p-5 shadow-card sm:p-6">
        {children}
      </div>
      {footer && <p className="text-center text-muted">{footer}</p>}
    </main>
  );
}
