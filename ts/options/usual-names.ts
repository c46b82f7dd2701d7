/** What tools are usually called, here and elsewhere, by what they do. */

/** Names with a built-in reading. */
const READ = {
  run: [
    'execute',
    'bash',
    'shell',
    'run_command',
    'run_shell_command',
    'terminal',
    'execute_command',
    'run_terminal_cmd',
    'run_terminal_command',
  ],
  read: ['read_file', 'view_file', 'read_multiple_files', 'read_many_files', 'read'],
  list: ['ls', 'LS', 'list_files', 'list_directory', 'list_dir', 'directory_tree'],
  glob: ['glob'],
  search: ['grep', 'search_files', 'search_file_content', 'search'],
  write: ['write_file', 'create_file', 'append_file', 'create_directory', 'make_directory', 'write'],
  edit: ['edit_file', 'multi_edit', 'str_replace', 'notebook_edit', 'edit'],
  move: ['delete_file', 'remove_file', 'delete_directory', 'remove_directory', 'move_file', 'rename_file', 'copy_file'],
  fetch: ['fetch_url', 'web_fetch', 'http_request', 'fetch'],
} as const;

/** What tools do. */
export type ToolUse = keyof typeof READ;

/** Names of tools that do the same, of whose arguments nothing, or not the file, is read. */
const UNREAD: Readonly<Record<ToolUse, readonly string[]>> = {
  run: ['exec', 'exec_command', 'container.exec', 'local_shell', 'shell_command', 'run_in_terminal', 'run_terminal'],
  read: [
    'view',
    'cat',
    'open',
    'open_file',
    'notebook_read',
    'read_notebook',
    'read_text_file',
    'read_media_file',
    'read_files',
    'get_file_contents',
  ],
  list: ['list', 'dir', 'tree', 'list_directory_with_sizes'],
  glob: ['file_search', 'find_files', 'find'],
  search: ['grep_search', 'ripgrep', 'rg', 'code_search', 'codebase_search', 'file_grep'],
  write: ['write_to_file', 'write_files', 'save_file', 'new_file', 'create'],
  edit: [
    'apply_patch',
    'patch',
    'patch_file',
    'apply_diff',
    'replace',
    'replace_in_file',
    'replace_string_in_file',
    'multi_replace_string_in_file',
    'search_replace',
    'search_and_replace',
    'insert',
    'insert_content',
    'insert_edit_into_file',
    'edit_block',
    'edit_files',
    'edit_notebook',
    'notebook_edit',
    'edit_notebook_file',
    'update_file',
    'str_replace_editor',
    'str_replace_based_edit_tool',
    'text_editor',
  ],
  move: ['delete', 'remove', 'rm', 'move', 'mv', 'rename', 'copy', 'cp', 'mkdir', 'delete_files', 'move_files'],
  fetch: ['read_url', 'browse', 'fetch_webpage', 'open_url'],
};

/** Names of one tool each that neither reads, writes, runs nor fetches what a rule could say. */
const ONE_TOOL: readonly (readonly string[])[] = [
  ['web_search', 'search_web', 'google_web_search', 'google_search', 'internet_search', 'brave_web_search'],
  [
    'task',
    'agent',
    'subagent',
    'run_subagent',
    'spawn_agent',
    'dispatch_agent',
    'delegate_to_agent',
    'new_task',
    'start_task',
  ],
  ['skill', 'use_skill', 'load_skill', 'activate_skill', 'run_skill'],
  ['write_todos', 'todo_write', 'update_plan', 'manage_todo_list', 'todo', 'update_todos'],
  ['todo_read', 'read_todos'],
  [
    'ask_user',
    'question',
    'ask_question',
    'ask_user_question',
    'ask_followup_question',
    'request_user_input',
    'ask_human',
  ],
  ['notebook_edit', 'edit_notebook', 'edit_notebook_file'],
  ['notebook_read', 'read_notebook'],
  ['exit_plan_mode', 'plan_exit'],
  ['enter_plan_mode', 'plan_enter'],
  ['code_search'],
  ['bash_output', 'shell_output'],
  ['kill_shell', 'kill_bash'],
  ['save_memory', 'memory'],
];

/** All that tools do. */
export const USES = Object.keys(READ) as ToolUse[];

const each = (names: readonly string[], spell: (name: string) => readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => [name, ...spell(name)])),
];

/** The name in snake, camel, Pascal and kebab case, which are read alike, and without separators. */
export function spellingsOf(name: string): string[] {
  const snake = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
  const parts = snake.split(/[_.-]+/).filter((part) => part !== '');
  const pascal = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  return [...new Set([parts.join('_'), camel, pascal, parts.join('-'), parts.join('')])];
}

/** All names of tools that do this, in each spelling: which one a tool of yours has is not known. */
export const namesFor = (...uses: readonly ToolUse[]): string[] =>
  each(
    uses.flatMap((use) => [...READ[use], ...UNREAD[use]]),
    spellingsOf,
  );

/** Those of them that rules over files pass by. Without its separators a name has no built-in reading. */
export function unreadFor(...uses: readonly ToolUse[]): string[] {
  const joined = uses.flatMap((use) => READ[use].filter((name) => name.includes('_')));
  const unread = each(
    uses.flatMap((use) => UNREAD[use]),
    spellingsOf,
  );
  return [...new Set([...unread, ...joined.map((name) => name.replaceAll('_', ''))])];
}

/**
 * What a tool that is no file's, command's or address's is called as well: its name in each spelling, and the usual others.
 *
 * @param isMeant whether the name, or pattern over names, means this one
 */
export function othersOf(isMeant: (name: string) => boolean): string[] {
  return [...ONE_TOOL, ...USES.flatMap((use) => [...READ[use], ...UNREAD[use]].map((name) => [name]))]
    .map((names) => each(names, spellingsOf))
    .filter((names) => names.some(isMeant))
    .flat();
}

const folded = (name: string): string => name.toLowerCase().replaceAll(/[_.-]/g, '');

const USUAL = new Set([...USES.flatMap((use) => [...READ[use], ...UNREAD[use]]), ...ONE_TOOL.flat()].map(folded));

/**
 * The names that speak of a usual tool in several spellings: they are written for any set of tools, and none of them is a slip.
 *
 * @param names all names that rules write
 */
export function spelledOut(names: readonly string[]): ReadonlySet<string> {
  const usual = new Map<string, string[]>();
  for (const name of names) {
    const plain = folded(name);
    if (USUAL.has(plain)) usual.set(plain, [...(usual.get(plain) ?? []), name]);
  }
  return new Set([...usual.values()].filter((spelled) => spelled.length > 1).flat());
}
