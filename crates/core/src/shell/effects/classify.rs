//! What a command is called, for those who propose rules about it.

/// Programs that run what they are told to run, whatever it is.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "mksh",
    "ash",
    "fish",
    "csh",
    "tcsh",
    "rbash",
    "pwsh",
    "powershell",
    "cmd",
    "busybox",
    "toybox",
];

/// Programs that run programs in a language.
const INTERPRETERS: &[&str] = &[
    "python",
    "pypy",
    "perl",
    "ruby",
    "jruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "php",
    "lua",
    "luajit",
    "java",
    "jshell",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sed",
    "tclsh",
    "wish",
    "osascript",
    "Rscript",
    "R",
    "julia",
    "guile",
    "racket",
    "sbcl",
    "clojure",
    "scala",
    "groovy",
    "elixir",
    "iex",
    "erl",
    "escript",
    "swift",
    "kotlin",
    "ocaml",
    "ghci",
    "runghc",
    "octave",
    "gnuplot",
    "m4",
    "psql",
    "mysql",
    "sqlite3",
    "dc",
    "expect",
];

/// Programs that start others.
const LAUNCHERS: &[&str] = &[
    "env",
    "sudo",
    "doas",
    "su",
    "runuser",
    "pkexec",
    "xargs",
    "parallel",
    "find",
    "fd",
    "nice",
    "ionice",
    "nohup",
    "timeout",
    "time",
    "stdbuf",
    "setsid",
    "chroot",
    "unshare",
    "nsenter",
    "flock",
    "watch",
    "entr",
    "strace",
    "ltrace",
    "gdb",
    "lldb",
    "script",
    "unbuffer",
    "tmux",
    "screen",
    "at",
    "batch",
    "crontab",
    "systemd-run",
    "command",
    "builtin",
    "exec",
    "eval",
    "source",
    ".",
    "trap",
    "alias",
    "cd",
    "pushd",
    "popd",
    "export",
    "declare",
    "set",
    "enable",
    "hash",
    "bind",
    "open",
    "xdg-open",
    "start",
    // Decides about calls: an agent that may run it approves its own.
    "countersign",
];

/// Programs whose first argument decides everything: their bare name stands for all that they can do, code included.
const FAMILIES: &[&str] = &[
    "git",
    "hg",
    "svn",
    "jj",
    "gh",
    "glab",
    "npm",
    "npx",
    "pnpm",
    "pnpx",
    "yarn",
    "bunx",
    "corepack",
    "pip",
    "pip3",
    "pipx",
    "uv",
    "uvx",
    "poetry",
    "pdm",
    "hatch",
    "rye",
    "conda",
    "mamba",
    "cargo",
    "rustup",
    "go",
    "dotnet",
    "gem",
    "bundle",
    "composer",
    "mix",
    "make",
    "gmake",
    "just",
    "task",
    "rake",
    "gradle",
    "mvn",
    "ant",
    "bazel",
    "cmake",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "helm",
    "terraform",
    "tofu",
    "ansible",
    "aws",
    "gcloud",
    "az",
    "doctl",
    "flyctl",
    "fly",
    "heroku",
    "vercel",
    "netlify",
    "wrangler",
    "firebase",
    "supabase",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "apk",
    "pacman",
    "brew",
    "snap",
    "flatpak",
    "nix",
    "systemctl",
    "launchctl",
    "service",
    "openssl",
    "vagrant",
    "adb",
];

/// Programs that reach other machines: wherever, and with whatever content.
const REACHING: &[&str] = &[
    "ssh", "mosh", "scp", "sftp", "rsync", "nc", "ncat", "netcat", "socat", "telnet", "curl",
    "wget", "http", "https",
];

/// Programs that edit and run whatever is typed.
const EDITORS: &[&str] =
    &["vi", "vim", "nvim", "view", "ex", "ed", "emacs", "nano", "code", "less", "more", "man"];

/// Programs that destroy or overwrite whatever they are pointed at.
const BLUNT: &[&str] = &[
    "rm", "dd", "mkfs", "shred", "chmod", "chown", "kill", "killall", "pkill", "mv", "ln", "tee",
    "install",
];

/// Whether the bare name of a program is too broad to be allowed for ever: it runs what it is told, starts other programs,
/// reaches any machine, or does entirely different things by its first argument. Versions count as the program (`python3.12`),
/// paths by their last component.
pub fn is_interpreter_or_launcher(name: &str) -> bool {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let base = base.strip_suffix(".exe").unwrap_or(base);
    let plain =
        base.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
    [SHELLS, INTERPRETERS, LAUNCHERS, FAMILIES, REACHING, EDITORS, BLUNT]
        .iter()
        .any(|list| list.contains(&base) || (!plain.is_empty() && list.contains(&plain)))
}

/// Programs whose command is their name and one word.
const TWO: &[&str] = &[
    "git",
    "hg",
    "svn",
    "jj",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "pip",
    "pip3",
    "pipx",
    "poetry",
    "pdm",
    "hatch",
    "rye",
    "conda",
    "mamba",
    "cargo",
    "rustup",
    "go",
    "dotnet",
    "gem",
    "bundle",
    "composer",
    "mix",
    "make",
    "gmake",
    "just",
    "task",
    "rake",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "helm",
    "terraform",
    "tofu",
    "apt",
    "apt-get",
    "apt-cache",
    "dnf",
    "yum",
    "apk",
    "brew",
    "snap",
    "flatpak",
    "nix",
    "systemctl",
    "launchctl",
    "service",
    "openssl",
    "vagrant",
    "adb",
    "flyctl",
    "fly",
    "heroku",
    "vercel",
    "netlify",
    "wrangler",
    "firebase",
    "supabase",
    "deno",
    "uv",
    "npx",
    "bunx",
    "uvx",
    "pnpx",
    "gradle",
    "mvn",
    "bazel",
];

/// First words after which the second word of these programs belongs to the command.
const THREE: &[(&str, &[&str])] = &[
    ("npm", &["run", "run-script", "exec", "x", "config", "cache", "pkg", "dist-tag"]),
    ("pnpm", &["run", "exec", "dlx", "config", "store"]),
    ("yarn", &["run", "exec", "dlx", "config", "workspace", "npm"]),
    ("bun", &["run", "x", "pm"]),
    (
        "git",
        &[
            "remote",
            "stash",
            "worktree",
            "submodule",
            "bisect",
            "notes",
            "config",
            "bundle",
            "lfs",
            "flow",
            "reflog",
            "sparse-checkout",
        ],
    ),
    (
        "docker",
        &[
            "compose",
            "image",
            "container",
            "volume",
            "network",
            "buildx",
            "builder",
            "system",
            "context",
            "manifest",
            "plugin",
            "swarm",
            "service",
            "stack",
            "node",
            "secret",
            "config",
        ],
    ),
    ("podman", &["compose", "image", "container", "volume", "network", "system", "pod", "machine"]),
    ("kubectl", &["config", "rollout", "auth", "create", "set", "top", "certificate"]),
    ("helm", &["repo", "plugin", "get", "show", "dependency"]),
    ("terraform", &["state", "workspace", "providers"]),
    ("cargo", &["xtask"]),
    ("rustup", &["toolchain", "target", "component", "override", "self"]),
    ("go", &["mod", "work", "tool"]),
    ("dotnet", &["tool", "nuget", "ef", "sln"]),
    ("uv", &["pip", "tool", "run", "python", "cache"]),
    ("poetry", &["run", "env", "config", "self", "cache"]),
    ("pipx", &["run"]),
    ("bundle", &["exec", "config"]),
    ("pip", &["config", "cache"]),
    ("deno", &["run", "task"]),
];

/// Programs whose command is their name and two words.
const ALWAYS_THREE: &[&str] = &["aws", "gh", "glab", "doctl"];

/// Programs whose command is their name and three words: `gcloud compute instances list`.
const ALWAYS_FOUR: &[&str] = &["gcloud", "az"];

/// How many of the leading words say what a command does: `git status` 2, `npm run test` 3, `ls -la` 1.
///
/// An option ends the count, so that `git -C dir status` is 1: nothing after it is where one would look for it. An empty
/// argv is 0.
pub fn subcommand_depth(argv: &[&str]) -> usize {
    let Some((first, rest)) = argv.split_first() else { return 0 };
    let name = first.rsplit('/').next().unwrap_or(first);
    let second = rest.first().copied().unwrap_or("");
    let depth = if ALWAYS_FOUR.contains(&name) {
        4
    } else if ALWAYS_THREE.contains(&name)
        || THREE.iter().any(|(program, words)| *program == name && words.contains(&second))
    {
        3
    } else if TWO.contains(&name) {
        2
    } else {
        1
    };
    let words = rest.iter().take_while(|word| !word.is_empty() && !word.starts_with(['-', '+']));
    1 + words.take(depth - 1).count()
}
