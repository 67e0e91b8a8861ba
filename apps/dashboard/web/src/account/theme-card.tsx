import { setTheme, THEMES, useTheme } from '../theme.ts';
import { Card } from '../ui/card.tsx';
import { Monitor, Moon, Sun } from '../ui/icons.tsx';

const LOOKS = {
  system: { icon: Monitor, label: 'System' },
  light: { icon: Sun, label: 'Light' },
  dark: { icon: Moon, label: 'Dark' },
} as const;

export function ThemeCard() {
  const theme = useTheme();
  return (
    <Card title="Theme" description="For this browser. “System” follows your computer’s setting.">
      <fieldset className="grid gap-2 sm:max-w-115 sm:grid-cols-3">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((name) => {
          const { icon: Icon, label } = LOOKS[name];
          return (
            <label
              key={name}
              className="flex items-center gap-2.5 rounded-md border border-line px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
            >
              <input
                type="radio"
                name="theme"
                value={name}
                checked={theme === name}
                onChange={() => setTheme(name)}
                className="sr-only"
              />
              <Icon className="size-4 shrink-0 text-muted" />
              {label}
            </label>
          );
        })}
      </fieldset>
    </Card>
  );
}
