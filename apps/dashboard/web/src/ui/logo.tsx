/** The mark, as in public/favicon.svg. */
export function Logo({ className }: { readonly className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className={className}>
      <rect width="32" height="32" rx="8" fill="#4f46e5" />
      <path d="M9 8.5h9.2l4.8 4.8v10.2H9z" fill="#fff" />
      <path d="M18.2 8.5v4.8H23z" fill="#c7d2fe" />
      <path d="M12.5 17h7M12.5 20.2h4.6" stroke="#4f46e5" strokeWidth="1.7" strokeLinecap="round" />
    </svg>
  );
}
