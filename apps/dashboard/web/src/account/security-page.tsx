import { Page } from '../ui/page.tsx';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

export function SecurityPage() {
  return (
    <Page title="Security" documentTitle="Security · Account">
      <div className="grid gap-5">
        <PasswordCard />
        <SessionsCard />
      </div>
    </Page>
  );
}
