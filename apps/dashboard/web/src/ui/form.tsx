import { Form as BaseForm } from '@base-ui/react/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo } from 'react';
import { ApiError, messageOf } from '../api.ts';
import { Alert } from './alert.tsx';
import { Button } from './button.tsx';

/** The values of a form's fields when it is sent, by their names. */
export type FormValues = Record<string, string>;

interface FormProps {
  /** The action of the form. */
  readonly mutation: Pick<
    UseMutationResult<unknown, Error, FormValues>,
    'error' | 'isPending' | 'mutate'
  >;
  /** Names of the fields, so that the server's refusal can be shown beside the right one. */
  readonly fields?: readonly string[];
  /** The field that a 409 is about. */
  readonly conflictField?: string | undefined;
  readonly children: ReactNode;
  readonly className?: string | undefined;
}

const IsPending = createContext(false);

/** A form that shows the server's refusal: at its field where the message names one, or above all fields. */
export function Form({
  mutation: { error, isPending, mutate },
  fields = [],
  conflictField,
  children,
  className = 'grid gap-5',
}: FormProps) {
  const field = error ? fieldOf(error, fields, conflictField) : undefined;
  const errors = useMemo(
    () => (error && field ? { [field]: withoutName(messageOf(error), field) } : {}),
    [error, field],
  );
  return (
    <BaseForm<FormValues>
      className={className}
      errors={errors}
      onFormSubmit={(values) => mutate(values)}
    >
      {error && !field && <Alert tone="negative">{messageOf(error)}</Alert>}
      <IsPending value={isPending}>{children}</IsPending>
    </BaseForm>
  );
}

/** Sends its form. */
export function SubmitButton(props: Omit<ComponentProps<typeof Button>, 'type' | 'pending'>) {
  return <Button {...props} type="submit" pending={useContext(IsPending)} />;
}

function fieldOf(error: Error, fields: readonly string[], conflictField: string | undefined) {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'conflict') return conflictField;
  if (error.code !== 'invalid_request' && error.code !== 'forbidden') return undefined;
  return fields.find((field) => new RegExp(`\\b${field}\\b`, 'i').test(error.message));
}

/** Beside its field, `slug must be …` needs no name. */
function withoutName(message: string, field: string): string {
  if (!message.startsWith(`${field} `)) return message;
  const rest = message.slice(field.length + 1);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
