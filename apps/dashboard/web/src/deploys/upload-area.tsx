import { Progress } from '@base-ui/react/progress';
import { formatBytes } from '@petstore/service/text.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { messageOf } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { cx } from '../ui/class-names.ts';
import { TextField } from '../ui/field.tsx';
import { Upload } from '../ui/icons.tsx';
import { toast } from '../ui/toasts.tsx';
import { ACCEPTED, dropProblem, fileProblem, upload } from './upload.ts';

/** Accepts a file that is dropped on it or chosen with its button, uploads it, and opens its deploy. */
export function UploadArea() {
  const { slug } = useProject();
  const { data: installation } = useQuery(installationQuery);
  const maxBytes = installation?.uploadLimits.bytes;
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const abort = useRef<AbortController>(undefined);
  const [isOver, setOver] = useState(false);
  const [activate, setActivate] = useState(true);
  const [message, setMessage] = useState('');
  const [progress, setProgress] = useState(0);
  const [problem, setProblem] = useState<string>();
  useEffect(() => () => abort.current?.abort(), []);

  const mutation = useMutation({
    mutationFn: (file: File) => {
      setProgress(0);
      abort.current = new AbortController();
      const { signal } = abort.current;
      return upload({ slug, file, activate, message, onProgress: setProgress, signal });
    },
    onSuccess: async (deploy) => {
      showChanged(keys.deploy(slug, deploy.id), deploy);
      void queryClient.invalidateQueries({ queryKey: keys.project(slug) });
      void queryClient.invalidateQueries({ queryKey: keys.projects });
      await navigate({ to: '/projects/$slug/deploys/$id', params: { slug, id: deploy.id } });
    },
    onError: (error) => {
      if (!abort.current?.signal.aborted) setProblem(messageOf(error));
    },
  });
  const take = (file: File | undefined, problemBefore?: string) => {
    if (!file) return;
    const wrong = problemBefore ?? fileProblem(file, maxBytes);
    setProblem(wrong);
    if (wrong === undefined) mutation.mutate(file);
  };
  const over = (isIn: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(isIn);
  };

  if (mutation.isPending) {
    return (
      <UploadProgress
        name={mutation.variables.name}
        size={mutation.variables.size}
        part={progress}
        onCancel={() => {
          abort.current?.abort();
          toast('The upload was cancelled. Nothing was deployed.');
        }}
      />
    );
  }
  return (
    <div className="grid gap-3">
      {problem !== undefined && <Alert tone="negative">{problem}</Alert>}
      <TextField
        name="message"
        label="Message (optional)"
        placeholder="What is new in it"
        value={message}
        onValueChange={setMessage}
        maxLength={200}
        spellCheck
        autoComplete="off"
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is another way to what the button does */}
      <div
        onDragOver={over(true)}
        onDragEnter={over(true)}
        onDragLeave={over(false)}
        onDrop={(event) => {
          over(false)(event);
          take(event.dataTransfer.files[0], dropProblem(event.dataTransfer));
        }}
        className={cx(
          'grid justify-items-center gap-1 rounded-lg border border-dashed px-4 py-7 text-center transition-colors',
          isOver ? 'border-accent bg-accent-soft' : 'border-outline bg-canvas',
        )}
      >
        <Upload className={cx('mb-1 size-5', isOver ? 'text-accent' : 'text-muted')} />
        <p className="font-medium">Drop a file here</p>
        <p className="text-[0.8125rem] text-muted">
          OpenAPI as JSON or YAML, or a folder of guides as .zip or .tar.gz
          {maxBytes !== undefined && `, up to ${formatBytes(maxBytes)}`}
        </p>
        <input
          ref={input}
          type="file"
          accept={ACCEPTED}
          tabIndex={-1}
          aria-hidden
          className="hidden"
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            // So that the same file, corrected, can be chosen again.
            event.currentTarget.value = '';
          }}
        />
        <Button className="mt-3" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
      </div>
      <CheckBox
        label="Make it live as soon as it is built"
        hint="Otherwise it waits at its preview address."
        checked={activate}
        onChange={setActivate}
      />
    </div>
  );
}

interface UploadProgressProps {
  readonly name: string;
  readonly size: number;
  /** 0 to 1. */
  readonly part: number;
  readonly onCancel: () => void;
}

function UploadProgress({ name, size, part, onCancel }: UploadProgressProps) {
  return (
    <div className="grid gap-4 rounded-lg border border-line bg-canvas p-5">
      <Progress.Root value={Math.round(part * 100)} className="grid gap-2">
        <div className="flex items-baseline justify-between gap-4">
          <Progress.Label className="min-w-0 truncate font-medium">Sending {name}</Progress.Label>
          <span className="shrink-0 text-[0.8125rem] text-muted">
            {Math.round(part * 100)} % of {formatBytes(size)}
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
