import { useProject } from '../projects/project-context.tsx';
import { ExternalLink } from '../ui/external-link.tsx';

/** The path of a page of the site, which leads there. */
export function PageName({ name }: { readonly name: string }) {
  const { url } = useProject();
  const isPath = name.startsWith('/') && !name.startsWith('//');
  if (!isPath) return name;
  const address = url + name.split('/').map(encodeURIComponent).join('/');
  return (
    <ExternalLink
      href={address}
      className="rounded-sm decoration-outline underline-offset-3 hover:underline"
    >
      {name}
    </ExternalLink>
  );
}
