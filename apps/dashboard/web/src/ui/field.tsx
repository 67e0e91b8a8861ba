import { Field } from '@base-ui/react/field';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './class-names.ts';
import { CircleAlert } from './icons.tsx';

export const CONTROL =
  'w-full min-w-0 rounded-md border border-outline bg-surface px-3 text-ink placeholder:text-muted/80 data-invalid:border-negative disabled:bg-subtle disabled:text-muted';

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  /** Checks a value before it is sent. Returns what is wrong. */
  readonly validate?: ((value: string) => string | null) | undefined;
}

type TextFieldProps = FieldProps & {
  /** Text after the value, such as `.example.com`. */
  readonly after?: string;
  /** Content at the end of the field. */
  readonly button?: ReactNode;
} & Omit<ComponentProps<typeof Field.Control>, 'className' | 'name'>;

export function TextField({
  name,
  label,
  hint,
  after,
  button,
  validate,
  ...control
}: TextFieldProps) {
  return (
    <Labelled name={name} label={label} hint={hint} validate={validate}>
      <div className="relative flex">
        <Field.Control
          spellCheck={false}
          {...control}
          className={cx(
            CONTROL,
            'h-9 flex-1 basis-0 read-only:bg-subtle',
            after !== undefined && 'rounded-r-none',
            button !== undefined && 'pr-16',
          )}
        />
        {after !== undefined && (
          <span className="flex max-w-[65%] shrink-0 items-center overflow-hidden rounded-r-md border border-outline border-l-0 bg-subtle px-3 text-muted">
            <span className="truncate">{after}</span>
          </span>
        )}
        {button !== undefined && (
          <span className="absolute inset-y-0 right-1 flex items-center">{button}</span>
        )}
      </div>
    </Labelled>
  );
}

type SelectFieldProps = FieldProps & {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly defaultValue?: string;
  /** For a caller that keeps what is chosen. */
  readonly value?: string;
  readonly onValueChange?: (value: string) => void;
};

/** The browser's own list: it works with every keyboard, screen reader and phone. */
export function SelectField({
  options,
  defaultValue,
  value: chosen,
  onValueChange,
  ...field
}: SelectFieldProps) {
  return (
    <Labelled {...field}>
      <Field.Control
        {...(chosen !== undefined && { value: chosen })}
        {...(onValueChange && { onValueChange: (value) => onValueChange(String(value)) })}
        render={
          <select defaultValue={defaultValue} className={SELECT}>
            {options.map(({ value, label: text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        }
      />
    </Labelled>
  );
}

type TextAreaProps = FieldProps &
  Pick<ComponentProps<'textarea'>, 'required' | 'rows' | 'placeholder' | 'maxLength'>;

/** Text of several lines that is pasted rather than typed, such as a key. */
export function TextArea({ name, label, hint, validate, ...control }: TextAreaProps) {
  return (
    <Labelled name={name} label={label} hint={hint} validate={validate}>
      <Field.Control
        required={control.required}
        render={
          <textarea
            spellCheck={false}
            {...control}
            className={cx(CONTROL, 'block py-2 font-mono text-[0.8125rem] leading-5')}
          />
        }
      />
    </Labelled>
  );
}

export const SELECT = cx(CONTROL, 'h-9 pr-8');

interface LabelledProps extends FieldProps {
  readonly children: ReactNode;
}

function Labelled({ name, label, hint, validate = () => null, children }: LabelledProps) {
  return (
    <Field.Root
      name={name}
      className="group/field grid content-start gap-1.5"
      validate={(value) => validate(String(value ?? ''))}
    >
      <Field.Label className="font-medium">{label}</Field.Label>
      {children}
      {hint && (
        // An error message replaces the hint.
        <Field.Description className="text-[0.8125rem] text-muted group-data-invalid/field:hidden">
          {hint}
        </Field.Description>
      )}
      <Field.Error
        render={(props, { valid: _ }) => (
          <div {...props}>
            <CircleAlert className="mt-[3px] size-3.5 shrink-0" />
            <span className="min-w-0 break-words">{props.children}</span>
          </div>
        )}
        className="flex gap-1.5 text-[0.8125rem] text-negative"
      />
    </Field.Root>
  );
}
