import { Alert } from '../ui/alert.tsx';
import { CopyField } from '../ui/copy.tsx';

/** Whether an address leads back to the computer that opens it (RFC 1122, section 3.2.1.3; RFC 6761, section 6.3). */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(hostname) ||
    /(?:^|\.)localhost$/.test(hostname)
  );
}

/** Says that a link would lead other people nowhere; nothing where it leads here. */
export function LoopbackWarning({ link }: { readonly link: string }) {
  if (!isLoopback(link)) return null;
  return (
    <Alert tone="warning">
      Only this computer can open this link. Set DASHBOARD_PUBLIC_URL to the address that others
      use.
    </Alert>
  );
}

interface HandOverLinkProps {
  readonly link: string;
  readonly what: string;
  /** Why it could not be mailed; null where nobody tried. */
  readonly mailError: string | null;
}

/** A link to hand over, with what may be wrong with it. */
export function HandOverLink({ link, what, mailError }: HandOverLinkProps) {
  return (
    <div className="grid gap-4">
      {mailError !== null && (
        <Alert tone="warning">It could not be mailed, so hand it over. {mailError}</Alert>
      )}
      <CopyField value={link} what={what} />
      <LoopbackWarning link={link} />
    </div>
  );
}
