/** What commands of a local backend see of the environment. */

/** What is handed on of this process's own: no keys. */
const PASSED_ON = /^(?:PATH|HOME|USER|TZ|TERM|TMPDIR|SystemRoot)$/;

/**
 * What every command starts with. Policies read a line as it means in these settings: bytes are UTF-8, and no program of the
 * user's settings (a pager, an editor) runs, and no server is asked, that no word of the line names.
 */
const SETTINGS = {
  LC_ALL: 'C.UTF-8',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  // An editor would wait for a person for ever. One that fails tells the agent to give its text on the command line.
  EDITOR: 'false',
  VISUAL: 'false',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_TERMINAL_PROMPT: '0',
  // What only looks (`git status`) writes nothing, not even `.git/index`.
  GIT_OPTIONAL_LOCKS: '0',
  // What is missing in a partial clone is not fetched from wherever its settings say, which may be a program.
  GIT_NO_LAZY_FETCH: '1',
  // With any command, npm and pip now and then look for a later version of themselves in the registry.
  npm_config_update_notifier: 'false',
  NO_UPDATE_NOTIFIER: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
};

/**
 * Settings of git that no repository may change, in the form of git's `GIT_CONFIG_COUNT`. A folder of the project that looks like
 * a repository (`HEAD`, `objects`, `refs`) is not used as one, so its `config` names no program.
 */
const GIT = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
] as const;

/** The environment of a command: of this process only what holds no keys, or what the user gave; our settings last for git. */
export function environmentOf(
  given: Readonly<Record<string, string | undefined>> | undefined,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const from = given ?? Object.fromEntries(Object.entries(own).filter(([name]) => PASSED_ON.test(name)));
  const env: Record<string, string> = { ...SETTINGS };
  for (const [name, value] of Object.entries(from)) if (value !== undefined) env[name] = value;
  const count = /^\d{1,4}$/.test(env['GIT_CONFIG_COUNT'] ?? '') ? Number(env['GIT_CONFIG_COUNT']) : 0;
  for (const [index, [key, value]] of GIT.entries()) {
    env[`GIT_CONFIG_KEY_${count + index}`] = key;
    env[`GIT_CONFIG_VALUE_${count + index}`] = value;
  }
  env['GIT_CONFIG_COUNT'] = String(count + GIT.length);
  return env;
}
