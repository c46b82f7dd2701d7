//! What a `postgres://…` URL says: where the server is, and how it is used.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, TargetSessionAttrs};

use crate::ledger::{LedgerError, LedgerErrorKind};

/// A ledger in PostgreSQL: where it is, and how it is used. Never shows its password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresSettings {
    pub(super) config: Config,
    /// Where to listen, if elsewhere: a pooler does not let anybody listen.
    pub(super) listen: Config,
    pub(super) schema: String,
    pub(super) prefix: String,
    pub(super) pool: usize,
    pub(super) poll: Duration,
    pub(super) lease: Duration,
    pub(super) connect_timeout: Duration,
    pub(super) prepare: StatementCaching,
    pub(super) tls: TlsSettings,
}

/// Whether statements are kept prepared on a connection, which not every pooler lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementCaching {
    /// If the connection is seen to be direct.
    Auto,
    On,
    Off,
}

/// How the connection is encrypted, and what of the server's certificate is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TlsSettings {
    pub(super) mode: TlsMode,
    /// PEM certificates that are trusted instead of the system's.
    pub(super) roots: Option<PathBuf>,
}

/// The modes of libpq. `allow` is not among them: it prefers what is not encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TlsMode {
    Disable,
    /// Encrypted where the server can; nothing is checked.
    Prefer,
    /// Encrypted; nothing is checked unless there are roots of its own.
    Require,
    /// Encrypted, by a certificate that a trusted root signed.
    VerifyCa,
    /// The same, and it is that of this very host.
    VerifyFull,
}

/// Names that libpq knows and that are not for us, each with what to do instead.
const NOT_HONOURED: [(&str, &str); 12] = [
    ("options", "set it for the role: ALTER ROLE … SET …"),
    ("passfile", "put the password in the URL"),
    ("service", "write out what the service file says"),
    ("sslcert", "use a password"),
    ("sslkey", "use a password"),
    ("sslpassword", "use a password"),
    ("sslcrl", "leave it out"),
    ("gssencmode", "use sslmode=verify-full"),
    ("krbsrvname", "use a password"),
    ("requirepeer", "use sslmode=verify-full"),
    ("client_encoding", "leave it out: it is always UTF-8"),
    ("replication", "leave it out"),
];

/// What is handed on as it is.
const HANDED_ON: [&str; 14] = [
    "user",
    "password",
    "dbname",
    "host",
    "hostaddr",
    "port",
    "application_name",
    "target_session_attrs",
    "load_balance_hosts",
    "channel_binding",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
];

/// Said where a password with special characters would be taken apart. Nothing of the URL is told then.
const ENCODE: &str = "cannot be read for sure: write postgres://user:password@host:port/database, and percent-encode what is special \
                      in the user and the password: % as %25, @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, & as %26, = as %3D";

/// Whether a part of the password may have been taken for something else: for a host that is looked up, for a database or a
/// parameter that is told in errors. `rest` is what follows the scheme, up to the first `?`.
fn is_doubtful(rest: &str, query: &str) -> bool {
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let hosts = match authority.split_once('@') {
        // The first ends the user and the password: another one, wherever it stands, was meant to be that end.
        Some((person, hosts)) if person.matches(':').count() <= 1 => hosts,
        Some(_) => return true,
        None => authority,
    };
    let is_named = |pair: &str| {
        pair.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        })
    };
    [hosts, path, query].iter().any(|part| part.contains(['@', '#']))
        || authority.contains('#')
        || !hosts.split(',').all(is_host)
        || path.contains('/')
        || !(is_escaped(rest) && is_escaped(query))
        || !query.split('&').filter(|pair| !pair.is_empty()).all(is_named)
}

/// A name, an address or a socket's folder, with a port or without one.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) if address.parse::<std::net::Ipv6Addr>().is_ok() => ("", port),
        Some(_) => return false,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    is_port
        && name.chars().all(|c| c.is_alphanumeric() || "-._%".contains(c))
        && !name.contains("%40")
}

/// Whether each `%` begins an escape.
fn is_escaped(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        after.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

const OURS: &str = "schema, prefix, pool, listen_host, listen_port, poll, lease, connect_timeout, prepare, sslmode, sslrootcert";

impl PostgresSettings {
    /// Reads a URL `postgres://user:password@host:port/database?…`. Beside what libpq knows:
    /// `schema` (default `countersign`), `prefix` of the tables (default none), `pool` (connections, default 10),
    /// `listen_host` and `listen_port` (where to listen, if not through the same pooler), `poll` (ms, default 1000),
    /// `lease` (ms after which a process that is not heard of counts as gone, default 15000), `connect_timeout` (s, default 10),
    /// `prepare` (statements are planned once: `auto` where no pooler is found, the default, `on` or `off`).
    ///
    /// # Errors
    /// `ERR_LEDGER_IO`: it says something that is not known or cannot be honoured. The text never holds the password.
    pub fn parse(url: &str) -> Result<Self, LedgerError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let Some(rest) =
            ["postgres://", "postgresql://"].iter().find_map(|scheme| base.strip_prefix(scheme))
        else {
            return Err(refused("does not begin with postgres://"));
        };
        if is_doubtful(rest, query) {
            return Err(refused(ENCODE));
        }
        let mut read = SettingsReader::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            read.take(name, value)?;
        }
        read.finish(base)
    }

    /// The URL without its password, to be shown.
    pub fn place(&self) -> String {
        let user = self.config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
        let ports = self.config.get_ports();
        let hosts: Vec<String> = self
            .config
            .get_hosts()
            .iter()
            .enumerate()
            .map(|(at, host)| {
                let name = match host {
                    Host::Tcp(name) => name.clone(),
                    #[cfg(unix)]
                    Host::Unix(path) => path.display().to_string(),
                };
                let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
                format!("{name}:{port}")
            })
            .collect();
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        let prefix =
            if self.prefix.is_empty() { String::new() } else { format!("&prefix={}", self.prefix) };
        format!("postgres://{user}{}/{database}?schema={}{prefix}", hosts.join(","), self.schema)
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Settings").field(&self.place()).finish()
    }
}

/// What was read so far.
#[derive(Default)]
struct SettingsReader {
    handed_on: Vec<String>,
    schema: Option<String>,
    prefix: Option<String>,
    pool: Option<usize>,
    poll: Option<u64>,
    lease: Option<u64>,
    connect_timeout: Option<u64>,
    listen_host: Option<String>,
    listen_port: Option<u16>,
    prepare: Option<StatementCaching>,
    mode: Option<TlsMode>,
    roots: Option<PathBuf>,
    has_target: bool,
}

impl SettingsReader {
    fn take(&mut self, name: &str, raw: &str) -> Result<(), LedgerError> {
        let value = decoded(name, raw)?;
        match name {
            "schema" => self.schema = Some(identifier(name, value)?),
            "prefix" => self.prefix = Some(identifier(name, value)?),
            "pool" => self.pool = Some(usize::from(number(name, &value, 1_u16, 1_000)?)),
            "poll" => self.poll = Some(number(name, &value, 10, 600_000)?),
            "lease" => self.lease = Some(number(name, &value, 1_000, 3_600_000)?),
            "connect_timeout" => self.connect_timeout = Some(number(name, &value, 1, 600)?),
            "listen_host" => self.listen_host = Some(value),
            "listen_port" => self.listen_port = Some(number(name, &value, 1, u16::MAX)?),
            "prepare" => self.prepare = Some(prepare(&value)?),
            "sslmode" => self.mode = Some(mode(&value)?),
            "sslrootcert" => self.roots = (value != "system").then(|| PathBuf::from(value)),
            _ if HANDED_ON.contains(&name) => {
                self.has_target |= name == "target_session_attrs";
                self.handed_on.push(format!("{name}={raw}"));
            }
            _ => {
                let known = NOT_HONOURED.iter().find(|(known, _)| *known == name);
                return Err(refused(match known {
                    Some((_, instead)) => {
                        format!("has `{name}`, which countersign cannot honour: {instead}")
                    }
                    None => format!(
                        "has `{}`, which is not known; these are ours: {OURS}",
                        crate::preview::text(name, 64)
                    ),
                }));
            }
        }
        Ok(())
    }

    fn finish(self, base: &str) -> Result<PostgresSettings, LedgerError> {
        let url = match self.handed_on.join("&") {
            none if none.is_empty() => base.to_owned(),
            query => format!("{base}?{query}"),
        };
        // What the parser says may hold a part of what it could not read, such as the password.
        let mut config = Config::from_str(&url).map_err(|_| refused(ENCODE))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(refused("names no host"));
        }
        let connect_timeout = Duration::from_secs(self.connect_timeout.unwrap_or(10));
        config.connect_timeout(connect_timeout);
        if config.get_application_name().is_none() {
            config.application_name("countersign");
        }
        let mut listen = config.clone();
        if let Some(host) = &self.listen_host {
            listen = only(&config, host, self.listen_port);
        } else if let Some(port) = self.listen_port {
            match config.get_hosts() {
                [Host::Tcp(host)] => listen = only(&config, host, Some(port)),
                _ => {
                    return Err(refused(
                        "has `listen_port` and several hosts: give `listen_host` too",
                    ));
                }
            }
        }
        // Who listens elsewhere has a pooler here.
        let is_pooled = self.listen_host.is_some() || self.listen_port.is_some();
        let by_itself = if is_pooled { StatementCaching::Off } else { StatementCaching::Auto };
        // Of several hosts the one that can be written to is meant, unless it is said otherwise; a standby takes no `LISTEN`.
        if !self.has_target && config.get_hosts().len() > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
            listen.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let mode = self.mode.unwrap_or(if is_local(&config) {
            TlsMode::Prefer
        } else {
            TlsMode::VerifyFull
        });
        let ssl = match mode {
            TlsMode::Disable => tokio_postgres::config::SslMode::Disable,
            TlsMode::Prefer => tokio_postgres::config::SslMode::Prefer,
            _ => tokio_postgres::config::SslMode::Require,
        };
        config.ssl_mode(ssl);
        listen.ssl_mode(ssl);
        Ok(PostgresSettings {
            config,
            listen,
            schema: self.schema.unwrap_or_else(|| "countersign".to_owned()),
            prefix: self.prefix.unwrap_or_default(),
            pool: self.pool.unwrap_or(10),
            poll: Duration::from_millis(self.poll.unwrap_or(1_000)),
            lease: Duration::from_millis(self.lease.unwrap_or(15_000)),
            connect_timeout,
            prepare: self.prepare.unwrap_or(by_itself),
            tls: TlsSettings { mode, roots: self.roots },
        })
    }
}

/// The same, at another host.
fn only(config: &Config, host: &str, port: Option<u16>) -> Config {
    let mut other = Config::new();
    other.host(host);
    other.port(port.or(config.get_ports().first().copied()).unwrap_or(5432));
    if let Some(user) = config.get_user() {
        other.user(user);
    }
    if let Some(password) = config.get_password() {
        other.password(password);
    }
    if let Some(database) = config.get_dbname() {
        other.dbname(database);
    }
    if let Some(name) = config.get_application_name() {
        other.application_name(name);
    }
    if let Some(timeout) = config.get_connect_timeout() {
        other.connect_timeout(*timeout);
    }
    other.channel_binding(config.get_channel_binding());
    other
}

/// Whether the connection stays on this machine.
fn is_local(config: &Config) -> bool {
    config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback)
        && config.get_hosts().iter().all(|host| match host {
            Host::Tcp(name) => {
                name == "localhost"
                    || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
            }
            #[cfg(unix)]
            Host::Unix(_) => true,
        })
}

fn prepare(value: &str) -> Result<StatementCaching, LedgerError> {
    Ok(match value {
        "auto" => StatementCaching::Auto,
        "on" => StatementCaching::On,
        "off" => StatementCaching::Off,
        _ => return Err(refused("has a `prepare` that is not one of auto, on, off")),
    })
}

fn mode(value: &str) -> Result<TlsMode, LedgerError> {
    Ok(match value {
        "disable" => TlsMode::Disable,
        "prefer" => TlsMode::Prefer,
        "require" => TlsMode::Require,
        "verify-ca" => TlsMode::VerifyCa,
        "verify-full" => TlsMode::VerifyFull,
        _ => {
            return Err(refused(
                "has an sslmode that is not one of disable, prefer, require, verify-ca, verify-full",
            ));
        }
    })
}

/// A name that needs no quotes, though it gets some.
fn identifier(name: &str, value: String) -> Result<String, LedgerError> {
    let mut letters = value.bytes();
    let begins = letters.next().is_some_and(|first| first.is_ascii_lowercase() || first == b'_');
    let goes_on = letters.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if begins && goes_on && value.len() <= 41 {
        return Ok(value);
    }
    Err(refused(format!(
        "has a `{name}` that is not of lower-case letters, digits and _, at most 41, beginning with no digit"
    )))
}

fn number<T: TryFrom<u64> + fmt::Display + Into<u64> + Copy>(
    name: &str, value: &str, least: T, most: T,
) -> Result<T, LedgerError> {
    let read = value.parse::<u64>().ok().filter(|read| (least.into()..=most.into()).contains(read));
    read.and_then(|read| T::try_from(read).ok()).ok_or_else(|| {
        refused(format!("has a `{name}` that is not a number from {least} to {most}"))
    })
}

fn decoded(name: &str, raw: &str) -> Result<String, LedgerError> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next(), rest.next()]
            .map(|digit| digit.and_then(|digit| char::from(digit).to_digit(16)));
        let [Some(high), Some(low)] = digits else {
            return Err(refused(format!(
                "has a broken %-escape in `{}`",
                crate::preview::text(name, 64)
            )));
        };
        bytes.push(u8::try_from(high << 4 | low).unwrap_or_default());
    }
    String::from_utf8(bytes).map_err(|_| refused("is not UTF-8"))
}

fn refused(why: impl fmt::Display) -> LedgerError {
    LedgerErrorKind::Io.because(format!("the URL of the PostgreSQL ledger {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_it_all_and_its_password_is_never_shown() {
        let settings = PostgresSettings::parse(
            "postgres://me:s3cr%40t@db.example:6432/app?schema=mine&prefix=a_&pool=4&listen_host=direct&listen_port=5432\
             &poll=250&lease=5000&sslmode=verify-ca&sslrootcert=%2Fca.pem&connect_timeout=3&application_name=x",
        )
        .unwrap();
        assert_eq!(settings.config.get_password(), Some(b"s3cr@t".as_slice()));
        assert_eq!(settings.place(), "postgres://me@db.example:6432/app?schema=mine&prefix=a_");
        assert!(!format!("{settings:?}").contains("s3cr"));
        assert_eq!(settings.listen.get_hosts(), [Host::Tcp("direct".to_owned())]);
        assert_eq!((settings.pool, settings.tls.mode), (4, TlsMode::VerifyCa));
        assert_eq!(settings.tls.roots, Some("/ca.pem".into()));
        assert_eq!(settings.config.get_application_name(), Some("x"));
    }

    #[test]
    fn far_away_it_is_verified_and_here_it_need_not_be() {
        let mode = |url| PostgresSettings::parse(url).unwrap().tls.mode;
        assert_eq!(mode("postgres://u@db.example/a"), TlsMode::VerifyFull);
        assert_eq!(mode("postgres://u@localhost/a"), TlsMode::Prefer);
        assert_eq!(mode("postgresql://u@127.0.0.1/a"), TlsMode::Prefer);
        assert_eq!(mode("postgres://u@localhost,db/a"), TlsMode::VerifyFull);
        assert_eq!(mode("postgres://u@db/a?sslmode=disable"), TlsMode::Disable);
        let several = PostgresSettings::parse("postgres://u@one:1,two:2/a").unwrap();
        assert_eq!(several.config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
    }

    #[test]
    fn what_is_not_known_or_not_honoured_is_told_without_the_password() {
        for (query, told) in [
            ("colour=red", "`colour`, which is not known"),
            ("passfile=x", "put the password in the URL"),
            ("schema=Mine", "lower-case"),
            ("schema=a\"b", "lower-case"),
            ("schema=", "lower-case"),
            ("prefix=1a", "lower-case"),
            ("pool=0", "from 1 to 1000"),
            ("pool=x", "from 1 to 1000"),
            ("sslmode=allow", "not one of"),
            ("prepare=yes", "not one of auto, on, off"),
            ("schema=%zz", "percent-encode"),
        ] {
            let error =
                PostgresSettings::parse(&format!("postgres://u:hunter2@h/d?{query}")).unwrap_err();
            assert!(error.message.contains(told), "{query}: {error}");
            assert!(!error.message.contains("hunter2"));
        }
        for url in ["postgres://u:hunter2@h:port/d", "postgres:hunter2"] {
            assert!(
                !PostgresSettings::parse(url).unwrap_err().message.contains("hunter2"),
                "{url}"
            );
        }
    }

    /// Each character that is special in a URL, at each place of a password: what follows it must not become a host that is
    /// looked up, a database or the name of a parameter that is told.
    #[test]
    fn a_password_that_is_not_encoded_is_neither_taken_apart_nor_told() {
        for special in [
            "@", "/", "?", "#", "%", "&", "=", ":", "[", "]", "%zz", "@/", "/@", "?x=", "?@",
            "://", ",",
        ] {
            for password in [
                format!("{special}hunter2"),
                format!("hunter2{special}"),
                format!("12{special}hunter2"),
                format!("p{special}hunter2{special}q"),
            ] {
                for url in [
                    format!("postgres://u:{password}@h/d"),
                    format!("postgresql://u:{password}@127.0.0.1:1/d?schema=s"),
                    format!("postgres://u@h/d?password={password}"),
                ] {
                    match PostgresSettings::parse(&url) {
                        Ok(settings) => {
                            let place = settings.place();
                            assert!(!place.contains("hunter2"), "{url}: {place}");
                            let hosts = settings.config.get_hosts();
                            assert!(
                                hosts == [Host::Tcp("h".to_owned())]
                                    || hosts == [Host::Tcp("127.0.0.1".to_owned())],
                                "{url}: {hosts:?}"
                            );
                        }
                        Err(error) => assert!(!error.message.contains("hunter2"), "{url}: {error}"),
                    }
                }
            }
        }
        for url in ["postgres://a:p@ssSECRET@127.0.0.1:1/x", "postgres://a:p?SECRET@127.0.0.1:1/x"]
        {
            let error = PostgresSettings::parse(url).unwrap_err();
            assert!(error.message.contains("percent-encode"), "{error}");
        }
    }

    #[test]
    fn what_is_encoded_is_read() {
        for (url, password) in [
            ("postgres://u:a%40b%3Ac%2Fd%3Fe%23f%25g%26h%3Di@h/d", "a@b:c/d?e#f%g&h=i"),
            ("postgres://u@h/d?password=a%40b%26c%3Dd", "a@b&c=d"),
            ("postgres://u:plain-._~!$'()*+,;pass=x&y@h/d", "plain-._~!$'()*+,;pass=x&y"),
        ] {
            let settings = PostgresSettings::parse(url).unwrap();
            assert_eq!(settings.config.get_password(), Some(password.as_bytes()), "{url}");
        }
        for url in [
            "postgres://u@[::1]:5432/d",
            "postgres://u@%2Fvar%2Frun%2Fpostgresql/d",
            "postgres:///d?host=%2Ftmp",
            "postgres://u@one:1,two/d?target_session_attrs=any",
            "postgres://db_1.example-2",
        ] {
            PostgresSettings::parse(url).unwrap();
        }
    }
}
