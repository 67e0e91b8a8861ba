import { Progress } from '@base-ui/react/progress';
import { Button } from '../ui/button.tsx';
import { fileSize } from '../ui/format.ts';

interface UploadProgressProps {
  readonly name: string;
  readonly size: number;
  /** 0 to 1. */
  readonly part: number;
  readonly onCancel: () => void;
}

export function UploadProgress({ name, size, part, onCancel }: UploadProgressProps) {
  return (
    <div className="grid gap-4 rounded-lg border border-line bg-canvas p-5">
      <Progress.Root value={Math.round(part * 100)} className="grid gap-2">
        <div className="flex items-baseline justify-between gap-4">
          <Progress.Label className="min-w-0 truncate font-medium">Sending {name}</Progress.Label>
          <span className="shrink-0 text-[0.8125rem] text-muted">
            {Math.round(part * 100)} % of {fileSize(size)}
          </span>
        </div>
        <Progress.Track className="h-1.5 overflow-hidden rounded-full bg-line">
          <Progress.Indicator className="h-full rounded-full bg-accent transition-all duration-200" />
        </Progress.Track>
      </Progress.Root>
      <div>
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
