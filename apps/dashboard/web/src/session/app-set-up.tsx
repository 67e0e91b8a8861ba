import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AuthenticatorAppDraft } from '../../../server/src/accounts/factors/factor.ts';
import { request } from '../api.ts';
import { CopyField } from '../ui/copy.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { CodeField } from './code-field.tsx';

interface AppSetUpProps<Done> {
  /** Where the first code is sent; `PATH/draft` begins. */
  readonly path: string;
  readonly method: 'POST' | 'PUT';
  readonly action: string;
  readonly onDone: (done: Done) => void;
  readonly onFailed?: (error: unknown) => unknown;
}

/** Sets up an authenticator app: a QR code to scan, or a secret to type, and the first code. */
export function AppSetUp<Done>({ path, method, action, onDone, onFailed }: AppSetUpProps<Done>) {
  const draft = useQuery({
    queryKey: ['app draft', path],
    queryFn: () => request<AuthenticatorAppDraft>('POST', `${path}/draft`),
    // Another one would not fit what was scanned.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const mutation = useMutation({
    mutationFn: ({ code = '' }: FormValues) =>
      request<Done>(method, path, { code: code.trim(), draft: draft.data?.draft ?? '' }),
    onSuccess: onDone,
    onError: (error) => onFailed?.(error),
    meta: { signsIn: true },
  });
  return (
    <QueryView query={draft} skeleton={<Skeleton className="h-80" />}>
      {({ secret, uri }) => (
        <div className="grid gap-5">
          <div className="grid gap-3">
            <p>
              Scan this with an authenticator app, such as Google Authenticator, Aegis or your
              password manager:
            </p>
            <QrCode text={uri} />
            <p className="text-[0.8125rem] text-muted">Or type this secret into it:</p>
            <CopyField value={secret.replace(/(.{4})(?=.)/g, '$1 ')} what="secret" />
          </div>
          <Form mutation={mutation} fields={['code']}>
            <CodeField hint="The six digits that the app shows then." />
            <SubmitButton variant="primary">{action}</SubmitButton>
          </Form>
        </div>
      )}
    </QueryView>
  );
}

/** Dark on light in either theme, with the quiet zone around it: some cameras read nothing else. */
function QrCode({ text }: { readonly text: string }) {
  const [drawn, setDrawn] = useState<{ path: string; size: number }>();
  useEffect(() => {
    let isShown = true;
    void import('uqr').then(({ encode }) => {
      const { data, size } = encode(text, { border: 3 });
      const path = data
        .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
        .join('');
      if (isShown) setDrawn({ path, size });
    });
    return () => {
      isShown = false;
    };
  }, [text]);
  if (!drawn) return <Skeleton className="mx-auto size-48" />;
  return (
    <svg
      role="img"
      aria-label="QR code for your authenticator app"
      viewBox={`0 0 ${drawn.size} ${drawn.size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-48 rounded-md border border-line bg-white"
    >
      <path d={drawn.path} fill="#000" />
    </svg>
  );
}
