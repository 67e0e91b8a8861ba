import { Page } from '../ui/page.tsx';
import { QuotaDefaultsCard } from './quota-defaults-card.tsx';
import { QuotaHoldersCard } from './quota-holders-card.tsx';

/** What accounts and projects use and may use, for the installation's owner. */
export function QuotasPage() {
  return (
    <Page
      title="Quotas"
      documentTitle="Quotas · Installation"
      description="What accounts and projects may use. What is there already stays, also where it is more."
    >
      <div className="grid gap-5">
        <QuotaDefaultsCard />
        <QuotaHoldersCard />
      </div>
    </Page>
  );
}
