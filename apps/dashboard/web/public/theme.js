// Before the first paint, so that a reader's own choice of theme does not flash the other one. Here and
// not inline, because of the content security policy.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be forbidden; then the system's theme it is.
}
