import { Toast } from '@base-ui/react/toast';
import { CircleAlert, CircleCheck, X } from './icons.tsx';

const manager = Toast.createToastManager();

/** Shows the outcome of an action briefly; screen readers announce it. */
export function toast(title: string, tone: 'positive' | 'negative' = 'positive'): void {
  manager.add({ title, type: tone, priority: tone === 'negative' ? 'high' : 'low' });
}

/** Over the header, one at a time, so that the page below stays visible and usable. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} timeout={4_000} limit={1}>
      <Toast.Portal>
        <Toast.Viewport className="pointer-events-none fixed inset-x-0 top-1.5 z-50 grid justify-items-center px-4">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((item) => (
    <Toast.Root
      key={item.id}
      toast={item}
      swipeDirection="up"
      className="pointer-events-auto col-start-1 row-start-1 max-w-full rounded-lg border border-line bg-surface shadow-float transition-all duration-200 data-ending-style:-translate-y-2 data-starting-style:-translate-y-2 data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-start gap-2.5 p-3">
        {item.type === 'negative' ? (
          <CircleAlert className="mt-0.5 size-4 shrink-0 text-negative" />
        ) : (
          <CircleCheck className="mt-0.5 size-4 shrink-0 text-positive" />
        )}
        <Toast.Title render={<p />} className="min-w-0 flex-1 break-words" />
        <Toast.Close
          aria-label="Dismiss"
          className="grid size-5 shrink-0 place-items-center rounded text-muted hover:text-ink"
        >
          <X className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
