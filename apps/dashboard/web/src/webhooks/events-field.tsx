import type { EventType } from '../../../server/src/notices/event-types.ts';
import { CheckBox } from '../ui/check-box.tsx';
import { ALL_EVENTS, EVENT_GROUPS, EVENTS } from './events.ts';

interface EventsFieldProps {
  readonly chosen: readonly EventType[];
  readonly onChange: (chosen: readonly EventType[]) => void;
}

/** Chooses what a webhook is sent. */
export function EventsField({ chosen, onChange }: EventsFieldProps) {
  const choose = (types: readonly EventType[], isChosen: boolean) =>
    onChange(
      ALL_EVENTS.filter((type) => (types.includes(type) ? isChosen : chosen.includes(type))),
    );
  return (
    <div className="grid gap-5">
      {EVENT_GROUPS.map(({ title, events }) => {
        const isWhole = events.every((type) => chosen.includes(type));
        return (
          <fieldset key={title} className="grid min-w-0 gap-2.5">
            <legend className="float-left flex w-full items-baseline justify-between gap-4 font-medium">
              {title}
              {events.length > 1 && (
                <button
                  type="button"
                  aria-label={`${isWhole ? 'None' : 'All'} of ${title.toLowerCase()}`}
                  onClick={() => choose(events, !isWhole)}
                  className="rounded-sm text-[0.8125rem] text-muted underline decoration-outline underline-offset-3 hover:text-ink"
                >
                  {isWhole ? 'None' : 'All'}
                </button>
              )}
            </legend>
            {events.map((type) => (
              <CheckBox
                key={type}
                label={type}
                hint={EVENTS[type]}
                checked={chosen.includes(type)}
                onChange={(isChosen) => choose([type], isChosen)}
              />
            ))}
          </fieldset>
        );
      })}
    </div>
  );
}
