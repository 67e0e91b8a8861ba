import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Check, Copy } from './icons.tsx';
import { toast } from './toasts.tsx';

const SHOWN_MS = 1_600;

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for the button's name: `address`. */
  readonly what: string;
  /** On the button; without it there is the icon alone. */
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
  // What is seen is part of the name, for those who say it to their computer.
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

/** A value that is there to be copied; it can be marked, too, and is seen whole. */
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
