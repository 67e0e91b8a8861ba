import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Check, Copy } from './icons.tsx';
import { toast } from './toasts.tsx';

const SHOWN_MS = 1_600;

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for the button's accessible name: `address`. */
  readonly what: string;
  /** The button's text; without it there is only the icon. */
  readonly text?: string;
}

export function CopyButton({ value, what, text }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      toast(`Copied the ${what}.`);
    } catch {
      toast(
        `The browser did not let us copy the ${what}. Mark it and copy it by hand.`,
        'negative',
      );
    }
  };
  // The visible text is part of the accessible name, for people who use voice control.
  const name = text === undefined ? `Copy the ${what}` : `${text}: ${what}`;
  return (
    <Button
      variant={text ? 'secondary' : 'ghost'}
      size="small"
      className={text ? '' : 'w-8 px-0'}
      aria-label={name}
      title={name}
      onClick={copy}
    >
      {isCopied ? <Check className="text-positive" /> : <Copy />}
      {text && (isCopied ? 'Copied' : text)}
    </Button>
  );
}

/** A value to copy. It can be selected, too, and is shown in full. */
export function CopyField({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-line bg-subtle py-1 pr-1 pl-3">
      <output
        aria-label={what}
        className="min-w-0 flex-1 select-all self-center break-all py-1 font-mono text-[0.8125rem]"
      >
        {value}
      </output>
      <CopyButton value={value} what={what} text="Copy" />
    </div>
  );
}
