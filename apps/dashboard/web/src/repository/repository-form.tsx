import { type ReactElement, useState } from 'react';
import type {
  Provider,
  Repository,
  RepositoryAccess,
  RepositoryInput,
} from '../../../server/src/repositories/repository.ts';
import { useProject } from '../projects/project-context.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import type { FormValues } from '../ui/form.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Plus } from '../ui/icons.tsx';
import { toast } from '../ui/toasts.tsx';
import { AccessField } from './access-field.tsx';
import { HOSTS } from './hosts.ts';
import { putRepository } from './repository-requests.ts';
import { isProblem } from './states.ts';
import { addressFor, defaultAccess, providerOf } from './typed-address.ts';

/** Connects a repository. */
export function ConnectDialog() {
  return (
    <RepositoryDialog
      trigger={
        <Button variant="primary">
          <Plus />
          Connect a repository
        </Button>
      }
      title="Connect a repository"
      action="Connect"
      repository={undefined}
    />
  );
}

/** Changes the address, the branch, the folder or the access of a repository. */
export function ChangeDialog({ repository }: { readonly repository: Repository }) {
  return (
    <RepositoryDialog
      trigger={<Button size="small">Change</Button>}
      title="Change the repository"
      action="Save"
      repository={repository}
    />
  );
}

interface RepositoryDialogProps {
  readonly trigger: ReactElement;
  readonly title: string;
  readonly action: string;
  /** As it is; undefined: there is none yet. */
  readonly repository: Repository | undefined;
}

const AUTOMATIC = 'automatic';

/** A token is of one repository, which hosts find with and without this end. */
const bare = (url: string) => url.replace(/\.git$/, '');

function RepositoryDialog({ trigger, title, action, repository }: RepositoryDialogProps) {
  const { slug } = useProject();
  const [typed, setTyped] = useState('');
  // undefined: as the address has it.
  const [chosen, setChosen] = useState<RepositoryAccess>();
  const access = chosen ?? repository?.access ?? defaultAccess(typed);
  const address = addressFor(typed, access);
  const byName = providerOf(typed);
  const provider = repository?.provider ?? byName;
  // Of other hosts the name tells what they run, and which user their tokens have.
  const isUnknown =
    (typed !== '' && byName === 'other') ||
    (repository !== undefined && (repository.provider !== byName || repository.username !== null));
  return (
    <FormDialog
      trigger={trigger}
      title={title}
      description="The dashboard asks the host before it answers. What is wrong there is then told on this page."
      fields={['url', 'branch', 'folder', 'token', 'username']}
      action={action}
      onOpen={() => {
        setTyped(repository?.url ?? '');
        setChosen(undefined);
      }}
      run={(values) => putRepository(slug, inputFrom(values, access, repository))}
      onDone={({ state }) => {
        if (!isProblem(state)) toast('The repository is connected.');
      }}
    >
      <TextField
        name="url"
        label="Address"
        placeholder="https://github.com/ada/pets"
        value={typed}
        onValueChange={setTyped}
        hint="As the host shows it for cloning, or in the browser."
        inputMode="url"
        autoCapitalize="none"
        autoComplete="off"
        maxLength={2048}
        required
      />
      <AccessField
        access={access}
        onChange={setChosen}
        address={address}
        typed={typed}
        token={provider === 'other' ? undefined : HOSTS[provider].token}
        hasToken={repository?.access === 'token' && bare(repository.url) === bare(address)}
        username={isUnknown ? (repository?.username ?? '') : undefined}
      />
      <TextField
        name="branch"
        label="Live branch"
        placeholder="The repository’s default branch"
        defaultValue={repository?.branch ?? ''}
        hint="What is pushed to it goes live."
        autoCapitalize="none"
        autoComplete="off"
        maxLength={255}
      />
      <TextField
        name="folder"
        label="Folder or document"
        placeholder="docs"
        defaultValue={repository?.folder ?? ''}
        hint="From the root of the repository: a folder with docs.yaml, or an OpenAPI document. Empty for the whole repository."
        autoCapitalize="none"
        autoComplete="off"
        maxLength={500}
      />
      {isUnknown && (
        <SelectField
          name="provider"
          label="The host runs"
          defaultValue={repository?.provider ?? AUTOMATIC}
          options={[
            ...(repository ? [] : [{ value: AUTOMATIC, label: 'As its name says' }]),
            ...Object.entries(HOSTS).map(([value, { name }]) => ({ value, label: name })),
            { value: 'other', label: 'Something else' },
          ]}
          hint="For links, commit statuses and instructions."
        />
      )}
    </FormDialog>
  );
}

/** What the form says, in the form of the API. */
function inputFrom(
  { url = '', branch = '', folder = '', token = '', username = '', provider }: FormValues,
  access: RepositoryAccess,
  repository: Repository | undefined,
): RepositoryInput {
  return {
    url: addressFor(url, access),
    branch: branch.trim() || null,
    folder: folder.trim(),
    access,
    ...(repository && { previews: repository.previews }),
    ...(repository?.access === 'token' && access === 'token' && { statuses: repository.statuses }),
    ...(provider && provider !== AUTOMATIC && { provider: provider as Provider }),
    ...(access === 'token' && {
      ...(token.trim() && { token: token.trim() }),
      username: username.trim() || null,
    }),
  };
}
