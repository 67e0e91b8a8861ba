import { type ReactNode, useId } from 'react';

interface CheckBoxProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A choice that takes effect when its form is sent. */
export function CheckBox({ label, hint, checked, disabled = false, onChange }: CheckBoxProps) {
  const id = useId();
  return (
    <label className="flex items-start gap-2.5">
      <input
        type="checkbox"
        aria-labelledby={`${id}-label`}
        aria-describedby={hint ? `${id}-hint` : undefined}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="mt-[3px] size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0 wrap-anywhere">
        <span id={`${id}-label`}>{label}</span>
        {hint && (
          <span id={`${id}-hint`} className="block text-[0.8125rem] text-muted">
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}
