// The library's container asks for metadata of classes (Reflect.metadata), and leaves the polyfill to its users. It is
// imported here alone, so that it is there before.
import 'reflect-metadata';
import type { X509Certificate } from '@peculiar/x509';

export * from '@peculiar/x509';

/**
 * The octets of a certificate's serial number in DER (X.690, section 8.3). Where the first bit is set they begin with a
 * zero octet, which `serialNumber` leaves out.
 */
export function serialOctets({ serialNumber }: X509Certificate): Buffer {
  const octets = Buffer.from(serialNumber, 'hex');
  return (octets[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), octets]) : octets;
}
