import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../api.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { CurrentPasswordField, NewPasswordField } from '../session/credentials-fields.tsx';
import { useUser } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

export function PasswordCard() {
  const { email } = useUser();
  const [changes, setChanges] = useState(0);
  const mutation = useMutation({
    mutationFn: ({ current, next }: Record<string, string>) =>
      request('POST', '/account/password', { current, next }),
    onSuccess: () => {
      setChanges(changes + 1);
      void queryClient.invalidateQueries({ queryKey: keys.sessions });
      toast('Your password is changed, and your other sessions have ended.');
    },
    // A wrong current password may be a 401, and is no end of the session.
    meta: { signsIn: true },
  });
  return (
    <Card title="Password" description="Changing it ends all your other sessions.">
      <Form
        // Emptied after each change.
        key={changes}
        fields={['current', 'next']}
        error={mutation.error}
        onSubmit={mutation.mutate}
        className="grid max-w-95 gap-4"
      >
        {/* So that password managers know whose it is. */}
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <CurrentPasswordField name="current" label="Current password" />
        <NewPasswordField name="next" label="New password" />
        <div>
          <Button type="submit" pending={mutation.isPending}>
            Change the password
          </Button>
        </div>
      </Form>
    </Card>
  );
}
