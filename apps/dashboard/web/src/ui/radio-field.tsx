import { type ReactNode, useId } from 'react';

interface RadioFieldProps<Value extends string> {
  readonly legend: string;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly hint: ReactNode;
  }[];
  readonly value: Value;
  readonly disabled?: boolean;
  readonly onChange: (value: Value) => void;
}

/** One of a few choices that need a sentence each. */
export function RadioField<Value extends string>({
  legend,
  options,
  value: chosen,
  disabled = false,
  onChange,
}: RadioFieldProps<Value>) {
  const id = useId();
  return (
    <fieldset className="grid min-w-0 gap-2.5" disabled={disabled}>
      <legend className="mb-2 font-medium">{legend}</legend>
      {options.map(({ value, label, hint }) => (
        <label key={value} className="flex items-start gap-2.5">
          <input
            type="radio"
            name={id}
            checked={chosen === value}
            onChange={() => onChange(value)}
            aria-labelledby={`${id}-${value}`}
            aria-describedby={`${id}-${value}-hint`}
            className="mt-[3px] size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span id={`${id}-${value}`}>{label}</span>
            <span id={`${id}-${value}-hint`} className="block text-[0.8125rem] text-muted">
              {hint}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
