import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { path, request } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { Dialog, DialogActions, DialogClose } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { keepDomain } from './domain-cache.ts';
import { DEFAULT_HSTS_AGE, HSTS_AGES } from './hsts-ages.ts';

interface HstsDialogProps {
  readonly slug: string;
  readonly domain: Domain;
}

/** Turns HSTS on, after saying what cannot be taken back. */
export function HstsDialog({ slug, domain }: HstsDialogProps) {
  const { hostname, unicode } = domain;
  const [isOpen, setOpen] = useState(false);
  const [includeSubdomains, setInclude] = useState(false);
  const mutation = useMutation({
    mutationFn: ({ age = DEFAULT_HSTS_AGE }: Record<string, string>) =>
      request<Domain>('PATCH', path`/projects/${slug}/domains/${hostname}`, {
        hsts: { maxAgeSeconds: Number(age), includeSubdomains },
      }),
    onSuccess: (changed) => {
      keepDomain(slug, changed);
      setOpen(false);
      toast(`HSTS is on for ${unicode}.`);
    },
  });
  const change = (open: boolean) => {
    if (open) mutation.reset();
    setInclude(false);
    setOpen(open);
  };
  return (
    <Dialog
      open={isOpen}
      onOpenChange={change}
      title={`Turn HSTS on for ${unicode}?`}
      trigger={<Button size="small">Turn on…</Button>}
    >
      <Form
        fields={['maxAgeSeconds', 'includeSubdomains']}
        error={mutation.error}
        onSubmit={mutation.mutate}
      >
        <Alert tone="warning">
          <p className="font-medium">This cannot be taken back before its time is over.</p>
          <p className="mt-1">
            Browsers that were here refuse {unicode} without a valid certificate until then: also if
            you move it to a server that has none. Nobody can click the warning away. Begin with a
            short time.
          </p>
        </Alert>
        <SelectField
          name="age"
          label="Browsers remember it for"
          options={HSTS_AGES}
          defaultValue={DEFAULT_HSTS_AGE}
        />
        <CheckBox
          label={`For all subdomains of ${unicode}, too`}
          hint="Also those that other servers answer: each then needs a certificate of its own."
          checked={includeSubdomains}
          onChange={setInclude}
        />
        <DialogActions>
          <DialogClose render={<Button />}>Cancel</DialogClose>
          <Button type="submit" variant="danger" pending={mutation.isPending}>
            Turn HSTS on
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
