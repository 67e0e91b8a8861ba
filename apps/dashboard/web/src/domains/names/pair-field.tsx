import { CheckBox } from '../../ui/check-box.tsx';

/** Country's domains below which people have their names, as far as they look like one. */
const OWN_NAME =
  /^(www\.)?([^.\s*]+\.(?:(?:co|com|net|org|gov|edu|ac|or|ne)\.[a-z]{2}|[^.\s\d]+))$/i;

/** The other half of what is typed: `www.example.com` of `example.com`, and the other way round. */
export function typedPair(typed: string): string | undefined {
  const [, www, name] = OWN_NAME.exec(typed.trim().replace(/\.$/, '')) ?? [];
  if (name === undefined) return undefined;
  return www === undefined ? `www.${name}` : name;
}

interface PairFieldProps {
  readonly typed: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Offers the other half of a pair. The server says so where it is none. */
export function PairField({ typed, checked, onChange }: PairFieldProps) {
  const other = typedPair(typed);
  if (other === undefined) return null;
  return (
    <CheckBox
      label={`And ${other}`}
      hint={`It has records of its own and redirects to ${typed.trim()}. The plan counts both.`}
      checked={checked}
      onChange={onChange}
    />
  );
}
