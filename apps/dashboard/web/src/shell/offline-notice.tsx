import { useSyncExternalStore } from 'react';
import { WifiOff } from '../ui/icons.tsx';

function subscribe(listener: () => void) {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** Says that the browser has no network, so that the page may be outdated. */
export function OfflineNotice() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className="flex items-center justify-center gap-2 bg-warning-soft px-4 py-2 text-center text-warning">
          <WifiOff className="size-4 shrink-0" />
          You are offline. What you see may be old, and changes will not arrive.
        </p>
      )}
    </div>
  );
}
