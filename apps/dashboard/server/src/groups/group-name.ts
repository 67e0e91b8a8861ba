/** What two names have in common that are the same but for case, or for how their letters are encoded. */
export function groupNameKey(name: string): string {
  return name.trim().normalize('NFKC').toLowerCase();
}
