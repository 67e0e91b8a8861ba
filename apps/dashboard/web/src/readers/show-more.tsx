import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';

/** Rows that are shown before somebody asks for all. */
const FIRST = 8;

/** The first items of a list, and a button for the others. */
export function ShowMore<T>({
  items,
  children,
}: {
  readonly items: readonly T[];
  readonly children: (shown: readonly T[]) => ReactNode;
}) {
  const [isAll, setAll] = useState(false);
  const more = items.length - FIRST;
  return (
    <>
      {children(isAll ? items : items.slice(0, FIRST))}
      {more > 0 && !isAll && (
        <div className="flex justify-center border-line border-t p-2">
          <Button size="small" variant="ghost" onClick={() => setAll(true)}>
            Show {more} more
          </Button>
        </div>
      )}
    </>
  );
}
