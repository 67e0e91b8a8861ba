import { Link, type LinkOptions, Outlet } from '@tanstack/react-router';

interface SideNavProps {
  readonly label: string;
  readonly sections: readonly (LinkOptions & { readonly to: string; readonly label: string })[];
}

/** A page with a list of its sections beside it, or above it on a phone. */
export function SideNav({ label, sections }: SideNavProps) {
  return (
    <div className="grid gap-x-10 gap-y-5 md:grid-cols-[11rem_minmax(0,1fr)]">
      <nav aria-label={label}>
        <ul className="-mx-1 flex gap-0.5 max-md:flex-wrap md:sticky md:top-6 md:flex-col">
          {sections.map(({ label: text, ...link }) => (
            <li key={link.to}>
              <Link
                {...link}
                className="block rounded-md px-2.5 py-1.5 text-muted transition-colors hover:bg-subtle hover:text-ink"
                activeProps={{ className: 'bg-subtle text-ink! font-medium' }}
              >
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-w-0">
        <Outlet />
      </div>
    </div>
  );
}
