import { useQuery } from '@tanstack/react-query';
import { installationQuery } from '../queries.ts';
import { Card } from '../ui/card.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { WithCode } from '../ui/with-code.tsx';

/** Whether the owners get e-mails, too. */
export function EmailCard() {
  const query = useQuery(installationQuery);
  return (
    <Card title="E-mail">
      <QueryView query={query}>
        {({ mail }) => (
          <p className="max-w-prose text-muted">
            {mail ? (
              'Every owner of the project is told by e-mail, at the address of their account.'
            ) : (
              <WithCode>
                No e-mail is sent: this installation has no mail server. Whoever runs it sets
                `SMTP_URL` and `SMTP_FROM`.
              </WithCode>
            )}
          </p>
        )}
      </QueryView>
    </Card>
  );
}
