/** Files that a command made are put aside, even if it tried to prevent that. */
import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { linksTo, putAside, putAsideInTime, realAbsent, repositoriesBehind } from '../../ts/confine/aside.js';
import { ConfinementError } from '../../ts/index.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'aside-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('what a command made', () => {
  test.runIf(process.platform === 'linux')('is put aside though something else cannot be, and that is told', () => {
    const [one, other] = [join(root, 'one'), join(root, 'other')];
    for (const path of [one, other]) mkdirSync(path);
    const put = () =>
      putAside([one, ...['status', 'maps'].map((name) => `/proc/${process.pid}/${name}`), other], { places: [root] });
    expect(put).toThrow(ConfinementError);
    expect([one, other].map((path) => existsSync(path))).toEqual([false, false]);
    for (const path of [one, other]) mkdirSync(path);
    expect(put).toThrow(/\/status \(.*\/maps \(.*other names now: .*one, .*other/s);
  });

  test('is looked for where not even the folder of it was', () => {
    const path = join(root, 'a/b');
    expect(realAbsent([path, join(root, 'a/b'), join(root, '..')])).toEqual([path]);
    mkdirSync(path, { recursive: true });
    expect(putAside([path], { places: [root] })).toEqual([path]);
    expect(existsSync(join(root, 'a/b.unchecked'))).toBe(true);
  });

  test('is looked for where a file was on the way', () => {
    const path = join(root, 'a/b');
    writeFileSync(join(root, 'a'), '');
    expect(realAbsent([path])).toEqual([path]);
    expect(putAside([path], { places: [root] })).toEqual([]);
    rmSync(join(root, 'a'));
    mkdirSync(path, { recursive: true });
    expect(putAside([path], { places: [root] })).toEqual([path]);
  });
});

describe('symlinks on the way', () => {
  test.each(['new', 'new/in', 'nothing'])(
    'to what is not there are told from what takes their place: %s',
    (missing) => {
      mkdirSync(join(root, 'real'));
      const link = join(root, 'link');
      symlinkSync(missing === 'nothing' ? 'nothing' : 'real', link);
      const paths = [missing === 'nothing' ? link : join(link, missing)];
      const links = linksTo(paths, [root]);
      expect(putAside(realAbsent(paths), { places: [root], links })).toEqual([]);
      rmSync(link);
      mkdirSync(join(link, missing), { recursive: true });
      expect(putAside(realAbsent(paths), { places: [root], links })).toEqual([link]);
    },
  );

  test.runIf(process.platform === 'linux').each(['renameSync', 'lstatSync'] as const)(
    'that another command makes meanwhile lead to nothing outside: before %s',
    (name) => {
      const [own, away, outside] = ['own', 'away', 'outside'].map((each) => join(root, each)) as [
        string,
        string,
        string,
      ];
      for (const each of [own, outside]) mkdirSync(join(each, '.git'), { recursive: true });
      const really = fs[name] as (...all: unknown[]) => unknown;
      const spied = vi.spyOn(fs, name).mockImplementationOnce(((...all: unknown[]) => {
        renameSync(own, away);
        symlinkSync(outside, own);
        spied.mockRestore();
        return really(...all);
      }) as never);
      const made = putAside([join(own, '.git')], { places: [own, away] });
      expect(readdirSync(outside)).toEqual(['.git']);
      expect(made).toHaveLength(1);
    },
  );

  test('are put aside where a command can have made them, and followed where none can', () => {
    const [own, outside, link] = ['own', 'outside', 'link'].map((each) => join(root, each)) as [string, string, string];
    for (const each of [own, outside]) mkdirSync(join(each, '.git'), { recursive: true });
    symlinkSync(own, link);
    symlinkSync(outside, join(own, 'sub'));
    const options = { places: [link] };
    expect(putAside([join(link, '.git'), join(link, 'sub/.git')], options)).toEqual([
      join(own, '.git'),
      join(own, 'sub'),
    ]);
    expect(readdirSync(own).toSorted()).toEqual(['.git.unchecked', 'sub.unchecked']);
    expect(readdirSync(outside)).toEqual(['.git']);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });
});

describe('folders in folders', () => {
  /** `count` folders, each in the one before, with a `.git` in the last. */
  function nested(count: number): string {
    const folder = join(root, ...Array.from({ length: count }, () => 'd'));
    mkdirSync(join(folder, '.git'), { recursive: true });
    return join(folder, '.git');
  }

  test('are looked at one from the other, and no further than so deep', () => {
    const git = nested(90);
    expect(repositoriesBehind([root])).toEqual({ repositories: [git], isAll: true });
    nested(1_000);
    const opened = vi.spyOn(process.getBuiltinModule('node:fs'), 'openSync');
    expect(repositoriesBehind([root])).toEqual({ repositories: [git], isAll: false });
    // As many as there are folders, and some for the root.
    expect(opened.mock.calls.length).toBeLessThan(150);
    opened.mockRestore();
  });
});

test('where there are many, what else is due comes round meanwhile', async () => {
  const all = Array.from({ length: 400 }, (_, index) => join(root, `${index}`, '.git'));
  for (const each of all) mkdirSync(each, { recursive: true });
  let [rounds, at] = [0, 0];
  // Each look at the clock is a millisecond later than the one before, on a fast machine, too.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (at += 1));
  let isOver = false;
  const go = (): void => {
    rounds += 1;
    if (!isOver) setImmediate(go);
  };
  setImmediate(go);
  expect(await putAsideInTime(all, { places: [root] })).toHaveLength(400);
  isOver = true;
  clock.mockRestore();
  expect(rounds).toBeGreaterThan(10);
  expect(all.filter((each) => existsSync(each))).toEqual([]);
});

describe.runIf(process.geteuid?.() !== 0)('folders that it closed', () => {
  test.each([0o000, 0o311, 0o555, 0o666])('are opened for that, and have their mode again: %o', (mode) => {
    const folder = join(root, 'a/b');
    mkdirSync(join(folder, 'c/.git'), { recursive: true });
    mkdirSync(join(folder, '.git'));
    for (const each of ['a/b/c', 'a/b', 'a']) chmodSync(join(root, each), mode);
    const found = repositoriesBehind([join(root, 'a')]);
    expect(found.isAll).toBe(true);
    expect(found.repositories.toSorted()).toEqual([join(folder, '.git'), join(folder, 'c/.git')]);
    expect(putAside(found.repositories, { places: [root] })).toHaveLength(2);
    for (const each of ['a', 'a/b', 'a/b/c']) {
      expect(modeOf(join(root, each))).toBe(mode);
      chmodSync(join(root, each), 0o700);
    }
    expect(existsSync(join(folder, 'c/.git'))).toBe(false);
    expect(existsSync(join(folder, 'c/.git.unchecked'))).toBe(true);
  });

  test('are told where they belong to somebody else', () => {
    expect(repositoriesBehind(['/root']).isAll).toBe(false);
  });
});
