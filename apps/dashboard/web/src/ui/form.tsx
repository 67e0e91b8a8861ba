import { Form as BaseForm } from '@base-ui/react/form';
import { type ReactNode, useMemo } from 'react';
import { ApiError, messageOf } from '../api.ts';
import { Alert } from './alert.tsx';

interface FormProps {
  /** Names of the fields, for putting the server's refusal beside the one that it is about. */
  readonly fields: readonly string[];
  /** The field that a 409 is about. */
  readonly conflictField?: string;
  readonly error: Error | null;
  readonly onSubmit: (values: Record<string, string>) => void;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A form that shows what the server refused: at its field where the message names one, or above all. */
export function Form({
  fields,
  conflictField,
  error,
  onSubmit,
  children,
  className = 'grid gap-5',
}: FormProps) {
  const field = error ? fieldOf(error, fields, conflictField) : undefined;
  const errors = useMemo(
    () => (error && field ? { [field]: withoutName(messageOf(error), field) } : {}),
    [error, field],
  );
  return (
    <BaseForm
      className={className}
      errors={errors}
      onFormSubmit={(values) => onSubmit(values as Record<string, string>)}
    >
      {error && !field && <Alert tone="negative">{messageOf(error)}</Alert>}
      {children}
    </BaseForm>
  );
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
