/** Where a system has its programs and a user their toolchains, and which parts must not be read. */
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { toolchainSecrets } from '../native.js';
import { exists, isAmong, steadyPath } from './files.js';

/** The words of a text, without blanks. */
function listed(words: string): string[] {
  return words.trim().split(/\s+/);
}

/** What programs of a system read: themselves, their libraries and settings. */
const SYSTEM: Readonly<Record<string, readonly string[]>> = {
  linux: listed(`
    /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix /gnu
    /sys/devices/system/cpu /sys/fs/cgroup
  `),
  darwin: listed(`
    /bin /sbin /usr /opt /System /Library /Applications /dev /etc /private/etc
    /private/var/db/timezone /private/var/select /var/db/timezone /var/select
  `),
};

/** Secrets among those. A plain user cannot read them anyway. */
const SYSTEM_SECRETS = listed(`
  /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private /etc/ssh
  /etc/krb5.keytab /etc/docker /etc/kubernetes /etc/rancher /etc/wireguard /etc/openvpn
  /etc/NetworkManager/system-connections /etc/letsencrypt
`);

/** Where toolchains are in a home, beside those that `PATH` leads to. */
const TOOLCHAINS = listed(`
  .cargo .rustup .nvm .volta .fnm .bun .deno .asdf .pyenv .rbenv .sdkman .jenv .npm .gradle .m2 .dotnet .nuget
  .pub-cache .composer .gem .poetry .conda go .local/bin .local/lib .local/share/mise .local/share/uv
  .local/share/pnpm .local/share/pipx .local/share/fnm .local/share/virtualenv .cache/ms-playwright
  .cache/puppeteer .gitconfig .config/git .editorconfig .tool-versions
`);

/** Variables that say where a toolchain is. */
const HOMES = ['CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'PYENV_ROOT', 'JAVA_HOME', 'GOROOT', 'GOPATH', 'VIRTUAL_ENV'];

type Variables = Readonly<Record<string, string | undefined>>;

export interface KnownPlaces {
  /** What may be read. */
  read: string[];
  /** What of that may not. */
  hide: string[];
  /** The user's own folder, which is empty to a command but for what it may read; `null`: the user has none. */
  home: string | null;
}

/** Those of this machine, for a command with these variables that may write in these places. */
export function knownPlaces(
  env: Variables,
  write: readonly string[],
  platform: NodeJS.Platform = process.platform,
): KnownPlaces {
  const own = env['HOME'] ?? homedir();
  const home = isAbsolute(own) && own !== '/' && exists(own) ? resolve(own) : null;
  const below = (names: readonly string[]) => (home === null ? [] : names.map((name) => join(home, name)));
  // What commands may write they may read as well; what it leads to is theirs to say, and so it is not given.
  const realOf = (folder: string) => {
    const real = isAbsolute(folder) ? steadyPath(folder, write) : undefined;
    return real === undefined || isAmong(real, write) ? undefined : real;
  };
  const named = HOMES.flatMap((name) => env[name] ?? []).filter((folder) => realOf(folder) !== undefined);
  const tools = [...(env['PATH'] ?? '').split(delimiter), dirname(process.execPath)].flatMap((folder) => {
    const real = realOf(folder);
    return real === undefined ? [] : toolchainOf([folder, real], home);
  });
  const read = [...(SYSTEM[platform] ?? []), ...below(TOOLCHAINS), ...named, ...tools];
  return {
    read: [...new Set(read)].filter((path) => exists(path) && !isTooMuch(path, home)),
    hide: [...SYSTEM_SECRETS, ...below(toolchainSecrets())].filter((path) => exists(path)),
    home,
  };
}

/** What a folder of programs, by each of its names, needs beside itself: with `X/bin`, `X`, where programs are installed so. */
function toolchainOf(names: readonly string[], home: string | null): string[] {
  const found = [...names];
  for (const each of names) {
    const above = dirname(each);
    const isPrefix =
      basename(above).startsWith('.') || ['lib', 'libexec', 'share'].some((name) => exists(join(above, name)));
    if (isPrefix && ['bin', 'sbin', 'shims'].includes(basename(each)) && !isTooMuch(above, home)) found.push(above);
  }
  return found;
}

/** A folder in which everything of the user lies, or of the machine. */
function isTooMuch(folder: string, home: string | null): boolean {
  if (folder === '/' || folder === '') return true;
  if (home === null) return false;
  return [home, join(home, '.local'), join(home, '.config'), join(home, '.cache')].some(
    (place) => place === folder || place.startsWith(`${folder}/`),
  );
}
