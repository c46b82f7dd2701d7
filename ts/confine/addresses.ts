/**
 * What kind of address one is, for the person who is asked about it: most belong to anybody, and some to this machine or its
 * network.
 */
import { BlockList, isIP } from 'node:net';

/** A line each: what it is, and its networks. */
const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ['this machine', ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128']],
  ['a link-local address: metadata of a cloud, or a device beside this one', ['169.254.0.0/16', 'fe80::/10']],
  [
    'an address of a cloud’s metadata',
    ['fd00:ec2::254/128', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  ],
  [
    'a private network',
    ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', 'fc00::/7'],
  ],
  ['many machines at once', ['224.0.0.0/4', '240.0.0.0/4', 'ff00::/8']],
  [
    'an address behind another one',
    ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '192.88.99.0/24'],
  ],
  // https://www.iana.org/assignments/iana-ipv4-special-registry and https://www.iana.org/assignments/iana-ipv6-special-registry
  [
    'an address for special purposes',
    ['192.0.0.0/24', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001::/23', '2001:db8::/32', '3fff::/20'],
  ],
];

/** All of the internet that has addresses of version 6; any address outside of it is special. */
const GLOBAL = '2000::/3';

type Version = 4 | 6;
type Lists = readonly (readonly [kind: string, list: BlockList])[];

// Each version has its own: in a common list the networks of mapped addresses would be all addresses of version 4.
const lists = new Map<Version, Lists>();

function listsOf(version: Version): Lists {
  const known = lists.get(version);
  if (known !== undefined) return known;
  const made = KINDS.map(([kind, networks]) => {
    const list = new BlockList();
    for (const [address = '', bits] of networks.map((network) => network.split('/')))
      if (isIP(address) === version) list.addSubnet(address, Number(bits), familyOf(version));
    return [kind, list] as const;
  });
  lists.set(version, made);
  return made;
}

const familyOf = (version: Version) => (version === 6 ? 'ipv6' : 'ipv4');

/** What it is; `null`: an address of the internet. */
export function kindOfAddress(address: string): string | null {
  const version = isIP(address) as 0 | Version;
  if (version === 0) return 'no address';
  if (isOwnAddress(address)) return 'this machine';
  const family = familyOf(version);
  const kind = listsOf(version).find(([, list]) => list.check(address, family))?.[0];
  return kind ?? (version === 6 && !globalList().check(address, family) ? 'an address for special purposes' : null);
}

let known: BlockList | undefined;

function globalList(): BlockList {
  if (known === undefined) {
    known = new BlockList();
    const [address = '', bits] = GLOBAL.split('/');
    known.addSubnet(address, Number(bits), 'ipv6');
  }
  return known;
}

/** Whether a network card of this machine has it, public or not. */
function isOwnAddress(address: string): boolean {
  const plain = plainHost(address);
  // Looked at each time: addresses come and go.
  const cards = Object.values(process.getBuiltinModule('node:os').networkInterfaces());
  return cards.some((card) => card?.some((own) => plainHost(own.address.replace(/%.*$/, '')) === plain));
}

/** A host as everything compares it: an address in its one spelling, a name in small letters; `undefined`: it is not one. */
export function plainHost(written: string): string | undefined {
  if (written.length > 255 || /[\s/\\?#@%]/.test(written)) return undefined;
  try {
    const { hostname } = new URL(
      `http://${written.includes(':') && !written.startsWith('[') ? `[${written}]` : written}/`,
    );
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    return host === '' ? undefined : host;
  } catch {
    return undefined;
  }
}

/** Whether it is one host, an address or a plain name: no pattern, which would mean others as well. */
export const isOneHost = (host: string): boolean => isIP(host) !== 0 || /^[\w-]+(?:\.[\w-]+)*$/.test(host);

/** The same of a host: a name of this machine is one of its addresses. `null`: of any other name nothing is known before it is looked up. */
export function kindOfHost(host: string): string | null {
  if (isOwnName(host)) return kindOfAddress('127.0.0.1');
  return isIP(host) === 0 ? null : kindOfAddress(host);
}

/** Names of this machine by themselves: no server is asked for them. */
export const isOwnName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');
