//! Files that are secret by their names, made by any program: keys, credentials, histories.
//!
//! Keys among the files of tests are there to be read, and so are certificates.

/// The folders that a file lies in, as far as they say what its name means.
#[derive(Debug, Default)]
pub(super) struct FileFolders {
    /// One begins with a dot: programs keep there what is theirs.
    hidden: bool,
    /// How far up files of tests begin; 0: nowhere near.
    tests: u8,
}

const KEY: &str = "a key, or what holds keys";
const CREDENTIALS: &str = "credentials";
const STATE: &str = "the state of machines, with their secrets";
const HISTORY: &str = "a history of what was typed, passwords too";
const VARIABLES: &str = "a file of variables and secrets";

/// How many folders below one of tests its files still count as such.
const NEAR: u8 = 4;
const TESTS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "testdata",
    "test-data",
    "testing",
    "fixture",
    "fixtures",
    "__fixtures__",
    "spec",
    "specs",
    "example",
    "examples",
    "mocks",
];

/// Hidden folders of code, packages and settings of the project.
const OPEN: &[&str] = &[
    ".",
    "..",
    ".git",
    ".github",
    ".gitlab",
    ".vscode",
    ".idea",
    ".venv",
    ".tox",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".yarn",
    ".pnpm",
    ".pnpm-store",
    ".cache",
    ".npm",
    ".cargo",
    ".rustup",
    ".nvm",
    ".pyenv",
    ".husky",
    ".storybook",
];

/// Ends of names of files that hold keys.
const KEYS: &[&str] =
    &["p12", "pfx", "p8", "jks", "keystore", "keytab", "kdbx", "kdb", "ppk", "ovpn", "kubeconfig"];

/// Names of files that hold keys and passwords alone.
const NAMES: &[&str] = &[
    "kubeconfig",
    ".vault_pass",
    ".vault_password",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
    "secrets.json",
    "local.settings.json",
    "wallet.dat",
    "key4.db",
    "key3.db",
    "logins.json",
    "login data",
    "cookies.sqlite",
];

/// Ends of names of files that hold data, and no code.
const DATA: &[&str] = &[
    "json",
    "yaml",
    "yml",
    "toml",
    "ini",
    "xml",
    "csv",
    "txt",
    "conf",
    "cfg",
    "properties",
    "db",
    "dat",
    "bak",
    "old",
];

/// Ends of names of files of code, of documents and of pictures, which no file of secrets has.
const CODE: &[&str] = &[
    "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro", "css", "scss",
    "less", "html", "htm", "rs", "go", "py", "pyi", "ipynb", "rb", "php", "java", "kt", "kts",
    "scala", "swift", "cs", "c", "h", "cc", "cpp", "hpp", "m", "zig", "ex", "exs", "erl", "hs",
    "ml", "lua", "dart", "sql", "graphql", "proto", "md", "mdx", "rst", "adoc", "map", "log",
    "svg", "png", "jpg", "jpeg", "gif", "webp", "ico", "woff", "woff2", "ttf", "pdf", "diff",
    "patch", "wasm",
];

/// Names of files that projects have, which hold no secrets.
const OF_PROJECTS: &[&str] = &[
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "tsconfig.json",
    "cargo.toml",
    "cargo.lock",
    "pyproject.toml",
    "requirements.txt",
    "go.mod",
    "go.sum",
    "gemfile",
    "makefile",
    "dockerfile",
    "readme",
    "license",
    "changelog",
];

/// Names of files in hidden folders, or words of them.
const WORDS: &[&str] = &[
    "token",
    "tokens",
    "auth",
    "oauth",
    "oauth2",
    "creds",
    "credential",
    "credentials",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "apikey",
];

/// Ends of names without an ending that are keys: `deploy_rsa`.
const KEY_ENDS: &[&str] = &["_rsa", "_dsa", "_ecdsa", "_ed25519"];

const IDENTITIES: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "ssh_host_"];

impl FileFolders {
    /// Goes down into one.
    pub(super) fn enter(&mut self, name: &str) {
        self.tests = self.tests.saturating_sub(1);
        if TESTS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            self.tests = NEAR;
        }
        self.hidden |= name.starts_with('.') && !OPEN.contains(&name);
    }

    /// Files of tests are those of the project: what lies above it says nothing of it.
    pub(super) fn forget_tests(&mut self) {
        self.tests = 0;
    }

    /// What a file of this name is here, if it is secret.
    pub(super) fn secret(&self, name: &str) -> Option<&'static str> {
        // By far the most names are of code.
        let name = name.to_ascii_lowercase();
        let name = original(&name);
        let is_history = name.starts_with('.') && name.ends_with("_history");
        if is_history || matches!(name, "fish_history" | ".histfile" | ".zhistory") {
            return Some(HISTORY);
        }
        let (stem, end) = match name.rsplit_once('.') {
            Some(("", name)) => (name, ""),
            Some(parts) => parts,
            None => (name, ""),
        };
        if matches!(end, "env" | "tfvars") && !is_template(stem) {
            return Some(VARIABLES);
        }
        if self.tests > 0 {
            return None;
        }
        if name.starts_with("krb5cc_") || NAMES.contains(&name) {
            return Some(KEY);
        }
        if IDENTITIES.iter().any(|known| name.starts_with(known)) && end != "pub" {
            return Some(KEY);
        }
        if end.is_empty() && KEY_ENDS.iter().any(|known| stem.ends_with(known)) {
            return Some(KEY);
        }
        let key = match end {
            "pem" => stem.contains("key") || !is_public(stem),
            "key" => !stem.contains("pub") || stem.contains("priv"),
            end => KEYS.contains(&end),
        };
        if key {
            return Some(KEY);
        }
        if end == "tfstate" || stem.ends_with(".tfstate") || stem.contains(".tfstate.") {
            return Some(STATE);
        }
        if !end.is_empty() && !DATA.contains(&end) {
            return None;
        }
        let accounts = end == "json"
            && (stem.starts_with("client_secret")
                || stem.contains("service-account")
                || stem.contains("service_account")
                || stem.contains("serviceaccount")
                || stem == "gcp-key"
                || stem == "gcp_key");
        let named = !end.is_empty() && stem.contains("credentials");
        let words = || {
            let mut words = stem.split(|char: char| !char.is_ascii_alphanumeric());
            words.any(|word| WORDS.contains(&word))
        };
        (accounts || named || (self.hidden && words())).then_some(CREDENTIALS)
    }
}

/// The name of what an editor keeps as `#name#`.
pub(super) fn edited(name: &str) -> &str {
    name.strip_prefix('#').and_then(|name| name.strip_suffix('#')).unwrap_or(name)
}

/// The name of what this is a copy of: of an editor, packed, or put aside.
pub(super) fn original(name: &str) -> &str {
    const COPIES: &[&str] =
        &["bak", "backup", "old", "orig", "save", "swp", "tmp", "gz", "bz2", "xz", "zst"];
    let mut name = edited(name).trim_end_matches('~');
    while let Some((before, end)) = name.rsplit_once('.')
        && !before.is_empty()
        && COPIES.iter().any(|known| known.eq_ignore_ascii_case(end))
    {
        name = before;
    }
    name
}

/// What a pattern for names may find, whose names begin and end so.
pub(super) fn of_pattern(begins: &str, ends: &str) -> Option<&'static str> {
    let (begins, ends) = (begins.to_ascii_lowercase(), ends.to_ascii_lowercase());
    let identity = begins.len() >= 3 && IDENTITIES.iter().any(|known| known.starts_with(&begins));
    if identity && !ends.ends_with(".pub") {
        return Some(KEY);
    }
    let end = ends.rsplit_once('.').map(|(_, end)| end)?;
    match end {
        "env" | "tfvars" => Some(VARIABLES),
        "key" => Some(KEY),
        "tfstate" => Some(STATE),
        end => KEYS.contains(&end).then_some(KEY),
    }
}

/// Whether a name that ends so is one of code, or of what one reads or looks at, with any beginning.
pub(super) fn is_code(ends: &str) -> bool {
    let end = ends.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    end.is_some_and(|end| CODE.contains(&end.as_str()))
}

/// Whether it is the name of a file that any project has.
pub(super) fn is_of_projects(name: &str) -> bool {
    OF_PROJECTS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn is_template(stem: &str) -> bool {
    ["example", "sample", "template", "dist"].iter().any(|word| stem.contains(word))
}

/// Certificates, and keys that everybody may know.
fn is_public(stem: &str) -> bool {
    ["cert", "crt", "chain", "bundle", "pub", "root"].iter().any(|word| stem.contains(word))
        || stem.split(['-', '_', '.']).any(|word| word == "ca")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(path: &str) -> bool {
        let mut folders = FileFolders::default();
        let (above, name) = path.rsplit_once('/').unwrap();
        above.split('/').for_each(|name| folders.enter(name));
        folders.secret(name).is_some()
    }

    #[test]
    fn a_secret_has_no_maker_but_a_name() {
        for path in [
            "/p/id_rsa",
            "/p/id_ed25519",
            "/p/keys/id_rsa.bak",
            "/p/server.key",
            "/p/config/master.key",
            "/p/key.pem",
            "/p/server.pem",
            "/p/cert-key.pem",
            "/p/privkey.pem",
            "/p/x.p12",
            "/p/x.PFX",
            "/p/x.jks",
            "/p/x.keystore",
            "/p/x.kdbx",
            "/p/terraform.tfstate",
            "/p/terraform.tfstate.backup",
            "/p/prod.env",
            "/p/prod.tfvars",
            "/p/AuthKey.p8",
            "/etc/krb5.keytab",
            "/tmp/krb5cc_0",
            "/p/vpn.ovpn",
            "/p/kubeconfig",
            "/p/serviceAccountKey.json",
            "/p/server.key.bak",
            "/p/server.key.gz",
            "/p/my_id_rsa",
            "/p/deploy_rsa",
            "/p/prod.env.bak",
            "/p/#prod.env#",
            "/p/server.key~",
            "/p/gcp-key.json",
            "/p/config/secrets.yml",
            "/p/.vault_pass",
            "/h/snap/firefox/common/.mozilla/x/logins.json",
            "/p/credentials.json",
            "/p/aws-credentials.csv",
            "/p/client_secret_1.json",
            "/h/.mysql_history",
            "/h/.node_repl_history",
            "/h/.local/share/fish/fish_history",
            "/h/.config/git/credentials",
            "/h/.claude/.credentials.json",
            "/h/.codex/auth.json",
            "/h/.gemini/oauth_creds.json",
            "/h/.composer/auth.json",
            "/h/.config/x/token",
            "/etc/ssh/ssh_host_rsa_key",
            "/etc/ssl/private/x.key",
        ] {
            assert!(secret(path), "{path}");
        }
    }

    #[test]
    fn code_certificates_and_files_of_tests_are_no_secrets() {
        for path in [
            "/p/src/credentials.ts",
            "/p/src/rsa",
            "/p/src/my_rsa.rs",
            "/p/src/secrets.ts",
            "/p/notes.bak",
            "/p/src/token.rs",
            "/p/src/auth.json",
            "/p/id_rsa.pub",
            "/p/cert.pem",
            "/p/cacert.pem",
            "/p/fullchain.pem",
            "/p/ca.pem",
            "/p/public.key",
            "/p/example.env",
            "/p/terraform.tfvars.example",
            "/p/test/fixtures/keys/server.key",
            "/p/tests/credentials.json",
            "/p/tests/a/b/key.pem",
            "/p/.github/workflows/auth.yml",
            "/p/.venv/lib/token.py",
            "/h/.cache/m/tokenizer.json",
            "/p/.git/refs/heads/auth",
            "/etc/ssh/ssh_host_rsa_key.pub",
            "/p/monkey.rs",
            "/p/history",
        ] {
            assert!(!secret(path), "{path}");
        }
    }
}
