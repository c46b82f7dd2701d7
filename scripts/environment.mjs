/**
 * What tests see of the environment of the person who runs them: what programs, compilers and the network need, by name. Keys of
 * models, settings of databases, of git, of colours and of this product would change what they do, or what they cost.
 */

const KNOWN = new RegExp(
  `^(?:${[
    // Who and where.
    'PATH|PATHEXT|HOME|USER|LOGNAME|USERNAME|SHELL|PWD|TERM|TMPDIR|TEMP|TMP|CI',
    // The network, and what it is trusted by.
    '(?:HTTPS?|ALL|NO)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_\\w+|CURL_CA_BUNDLE|GIT_SSL_CAINFO',
    // Tools: npm, Node, cargo, the compiler of C and its linker, browsers.
    'NPM_\\w+|NODE|NODE_OPTIONS|NODE_ENV|NODE_V8_COVERAGE|INIT_CWD|PLAYWRIGHT_\\w+',
    'CARGO\\w*|RUST\\w*|CC|CXX|AR|LD|(?:C|CXX|LD)FLAGS\\w*|(?:CC|CXX|AR)_\\w+|PKG_CONFIG\\w*|LIBRARY_PATH|LD_LIBRARY_PATH|NIX_\\w+|SDKROOT|DEVELOPER_DIR',
    // The system.
    'SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|OS|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES\\S*|COMMONPROGRAMFILES\\S*|ALLUSERSPROFILE|PUBLIC',
    'USERPROFILE|HOMEDRIVE|HOMEPATH|PROCESSOR_\\w+|NUMBER_OF_PROCESSORS|__CF_USER_TEXT_ENCODING',
    // The tests themselves.
    'VITEST\\w*|TEST|AI_MAJOR',
    'COUNTERSIGN_(?!(?:API_KEY|AUTO|LEDGER|LEDGER_KEY|LOG|LOG_FORMAT|NOTIFY|TELEMETRY|THREADS)$)\\w+',
  ].join('|')})$`,
  'i',
);

/** Flags of compilers would hide what lints say, or build all anew; words of cargo are read, and must be the usual ones. */
const CHANGING =
  /^(?:RUSTFLAGS|RUSTDOCFLAGS|CARGO_ENCODED_RUST(?:DOC)?FLAGS|CARGO_BUILD_RUST(?:DOC)?FLAGS|CARGO_TARGET_\w+_RUSTFLAGS|CARGO_TERM_\w+)$/i;

/** From now on this process, and what it starts, has these alone; texts are UTF-8 on every machine. */
export function enterPlainEnvironment() {
  for (const name of Object.keys(process.env)) if (!KNOWN.test(name) || CHANGING.test(name)) delete process.env[name];
  process.env.LANG = 'C.UTF-8';
}
