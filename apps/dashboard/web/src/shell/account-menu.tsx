import { Menu } from '@base-ui/react/menu';
import { Link } from '@tanstack/react-router';
import type { User } from '../../../server/src/accounts/account.ts';
import { messageOf } from '../api.ts';
import { signOut } from '../session/session.ts';
import { setTheme, THEMES, type Theme, useTheme } from '../theme.ts';
import { Check, ChevronDown, LogOut, Monitor, Moon, Sun, UserRound } from '../ui/icons.tsx';
import { toast } from '../ui/toasts.tsx';

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

const ITEM =
  'flex h-9 w-full cursor-default select-none items-center gap-2.5 rounded-md px-2.5 text-left outline-none data-highlighted:bg-subtle [&>svg]:size-4 [&>svg]:text-muted';

export function AccountMenu({ user }: { readonly user: User }) {
  const theme = useTheme();
  const leave = async () => {
    try {
      await signOut('/sign-in');
    } catch (error) {
      toast(messageOf(error), 'negative');
    }
  };
  return (
    <Menu.Root>
      <Menu.Trigger className="flex h-9 items-center gap-1.5 rounded-full border border-transparent pr-1.5 pl-0.5 hover:bg-subtle data-popup-open:bg-subtle">
        <span
          aria-hidden
          className="grid size-8 place-items-center rounded-full bg-accent-soft font-semibold text-accent text-xs uppercase"
        >
          {initials(user.name)}
        </span>
        <span className="sr-only">Account menu of {user.name}</span>
        <ChevronDown className="size-4 text-muted" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className="z-40 outline-none">
          <Menu.Popup className="w-62 rounded-lg border border-line bg-surface p-1.5 shadow-float outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            <div className="min-w-0 px-2.5 py-1.5">
              <p className="truncate font-medium">{user.name}</p>
              <p className="truncate text-[0.8125rem] text-muted">{user.email}</p>
            </div>
            <Menu.Separator className="my-1.5 h-px bg-line" />
            <Menu.Item className={ITEM} render={<Link to="/account" />}>
              <UserRound />
              Account
            </Menu.Item>
            <Menu.Separator className="my-1.5 h-px bg-line" />
            <Menu.RadioGroup value={theme} onValueChange={(value: Theme) => setTheme(value)}>
              <Menu.GroupLabel className="px-2.5 py-1 font-medium text-muted text-xs">
                Theme
              </Menu.GroupLabel>
              {THEMES.map((name) => {
                const Icon = THEME_ICONS[name];
                return (
                  <Menu.RadioItem key={name} value={name} className={ITEM}>
                    <Icon />
                    <span className="flex-1 capitalize">{name}</span>
                    <Menu.RadioItemIndicator>
                      <Check className="size-4" />
                    </Menu.RadioItemIndicator>
                  </Menu.RadioItem>
                );
              })}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1.5 h-px bg-line" />
            <Menu.Item className={ITEM} onClick={() => void leave()}>
              <LogOut />
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('');
}
