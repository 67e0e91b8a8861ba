import { buttonClass } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Download } from '../ui/icons.tsx';

interface RecoveryCodeListProps {
  readonly codes: readonly string[];
  readonly email: string;
}

/** New recovery codes, which are shown this once: to copy or to keep as a file. */
export function RecoveryCodeList({ codes, email }: RecoveryCodeListProps) {
  const text = `Recovery codes of ${email} for the dashboard at ${window.location.origin}\nEach works once, in place of a second factor.\n\n${codes.join('\n')}\n`;
  return (
    <div className="grid gap-3">
      <p className="text-muted">
        Each signs in once when you have no passkey or app at hand. They are not shown again.
      </p>
      <ol
        aria-label="Recovery codes"
        className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-md border border-line bg-subtle px-3 py-2.5 font-mono text-[0.8125rem] min-[420px]:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code} className="select-all">
            {code}
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <CopyButton value={codes.join('\n')} what="codes" text="Copy" />
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="dashboard-recovery-codes.txt"
          className={buttonClass('secondary', 'small')}
        >
          <Download />
          Download
        </a>
      </div>
    </div>
  );
}
