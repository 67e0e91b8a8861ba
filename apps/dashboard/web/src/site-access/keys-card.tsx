import type { SiteKey } from '../../../server/src/site-access/site-access.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Empty } from '../ui/empty.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { KeyRound } from '../ui/icons.tsx';
import { Ago } from '../ui/time.tsx';
import type { AccessCardProps } from './change-access.ts';

/** The keys by which a customers' portal signs links. */
export function KeysCard({ access, isOwner }: AccessCardProps) {
  const { keys: all, audience } = access;
  return (
    <Card
      title="Signed links"
      description="A portal of yours signs a link for a customer who is signed in there. It opens the site once, for as long as you say."
      actions={isOwner && <NewKeyDialog />}
      flush
    >
      {all.length === 0 ? (
        <Empty icon={KeyRound} title="No keys">
          Register the public key of a pair that only your portal has.
        </Empty>
      ) : (
        <>
          <ul className="divide-y divide-line">
            {all.map((key) => (
              <KeyRow key={key.id} siteKey={key} isOwner={isOwner} />
            ))}
          </ul>
          <div className="grid gap-2 border-line border-t px-4 py-4 sm:px-5">
            <p className="font-medium">How a link is made</p>
            <CodeBlock code={exampleOf(all[0], audience)} what="example" />
            <p className="text-[0.8125rem] text-muted">
              A custom domain has its own <code className="font-mono">aud</code>: its origin, such
              as <code className="font-mono">https://docs.example.com</code>.
            </p>
          </div>
        </>
      )}
    </Card>
  );
}

function KeyRow({ siteKey, isOwner }: { readonly siteKey: SiteKey; readonly isOwner: boolean }) {
  const { slug } = useProject();
  const { id, kid, algorithm, createdAt, createdBy } = siteKey;
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="wrap-anywhere font-medium font-mono text-[0.8125rem]">{kid}</p>
        <p className="wrap-anywhere text-[0.8125rem] text-muted">
          {algorithm} · by {createdBy} · <Ago at={createdAt} />
        </p>
      </div>
      {isOwner && (
        <ConfirmedButton
          title={`Remove the key ${kid}?`}
          description="What was signed with it is not valid any more, and whoever came in by it is out within a second."
          action="Remove"
          label={`Remove the key ${kid}`}
          run={() =>
            deleteAt(
              path`/projects/${slug}/access/keys/${id}`,
              keys.siteAccess(slug),
              `The key ${kid} is removed.`,
            )
          }
        />
      )}
    </li>
  );
}

function NewKeyDialog() {
  const { slug } = useProject();
  return (
    <FormDialog
      trigger={<Button size="small">Register a key</Button>}
      title="Register a key"
      description="The public half alone: the private one stays with whoever signs."
      fields={['kid', 'publicKey']}
      conflictField="kid"
      action="Register the key"
      run={({ kid = '', publicKey = '' }) =>
        request<SiteKey>('POST', path`/projects/${slug}/access/keys`, {
          ...{ kid: kid.trim(), publicKey },
        })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.siteAccess(slug) })}
    >
      <TextField
        name="kid"
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        autoCapitalize="none"
        placeholder="portal-2027"
        hint="The kid in the header of what is signed with it."
      />
      <TextArea
        name="publicKey"
        label="Public key"
        required
        rows={6}
        placeholder={'-----BEGIN PUBLIC KEY-----\n…'}
        hint="In PEM, or a JSON Web Key: Ed25519, P-256, or RSA of 2048 bits at least."
      />
    </FormDialog>
  );
}

const exampleOf = (
  key: SiteKey | undefined,
  audience: string,
) => `import { importPKCS8, SignJWT } from 'jose';

const key = await importPKCS8(process.env.DOCS_KEY, '${key?.algorithm}');
const token = await new SignJWT({ read_until: Math.floor(Date.now() / 1000) + 8 * 3600 })
  .setProtectedHeader({ alg: '${key?.algorithm}', kid: '${key?.kid}' })
  .setAudience('${audience}')
  .setExpirationTime('5m')
  .sign(key);
const link = \`${audience}/_access/link?token=\${token}&to=/\`;`;
