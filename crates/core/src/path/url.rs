//! Addresses, in each reading that a program may take them in.

use std::net::IpAddr;

use url::{Host, Url};

/// The longest address that is read, in bytes.
const LONGEST: usize = 64 * 1024;

/// What curl takes for the scheme when the host begins so and none is written.
const GUESSED: [(&str, &str); 6] = [
    ("ftp.", "ftp"),
    ("dict.", "dict"),
    ("ldap.", "ldap"),
    ("imap.", "imap"),
    ("smtp.", "smtp"),
    ("pop3.", "pop3"),
];

/// Schemes that stand before an address, or before a host alone.
const WRAPPERS: [&str; 6] = ["view-source", "feed", "blob", "jar", "filesystem", "url"];

/// An address, normalised as WHATWG's URL standard says: notations of IP addresses, IDN, case, default ports, `.` and `..`
/// in paths also when they are percent-encoded. Fragments and queries are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlAddress {
    text: String,
    /// Never empty.
    readings: Vec<UrlReading>,
    /// Programs do not agree on what it means, or expand it (`{a,b}`): never allowed.
    doubtful: bool,
    /// Even the host cannot be told: any deny could mean it.
    any_host: bool,
}

/// One reading of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UrlReading {
    pub(super) scheme: String,
    /// Without a dot at its end; empty for `file:///`.
    pub(super) host: String,
    pub(super) port: Option<u16>,
    /// `user` or `user:password`.
    pub(super) user: Option<String>,
    /// Names separated by `/`, none at the ends. Percent-decoded, but for `%2F`, `%5C` and `%25`.
    pub(super) path: String,
    /// Those too, as some servers do.
    pub(super) decoded: String,
}

/// Why an address or a pattern cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UrlError {
    /// What is wrong, and what to write instead.
    pub message: String,
}

pub(super) fn error(message: impl Into<String>) -> UrlError {
    UrlError { message: message.into() }
}

/// The file that an address with the scheme `file` means; `None`: it means none here.
pub fn file_of(address: &str) -> Option<String> {
    let address = url::Url::parse(address.trim()).ok().filter(|url| url.scheme() == "file")?;
    address.to_file_path().ok()?.into_os_string().into_string().ok()
}

impl UrlAddress {
    /// Reads an address. `curl example.com` means `http://example.com`: without a scheme both `http` and `https` are meant.
    /// `user@host:path`, as `git` and `scp` take it, is `ssh://user@host/path`.
    ///
    /// # Errors
    /// When it is no address.
    pub fn parse(source: &str) -> Result<Self, UrlError> {
        if source.len() > LONGEST {
            return Err(error(format!("the address is longer than {LONGEST} bytes")));
        }
        let trimmed = source.trim_matches(|c: char| c <= ' ');
        if trimmed.is_empty() {
            return Err(error("the address is empty"));
        }
        let urls = candidates(trimmed);
        let mut readings: Vec<UrlReading> = Vec::new();
        let mut text = String::new();
        for url in urls.iter().filter_map(|url| Url::parse(url).ok()) {
            let Some(reading) = UrlReading::of(&url) else { continue };
            if readings.is_empty() {
                text = url.to_string();
            }
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
        if readings.is_empty() {
            return Err(error(format!("{source:?} is not an address")));
        }
        let authority = authority(trimmed).unwrap_or_default();
        let any_host = readings.iter().any(|reading| {
            let known = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
            !reading.host.chars().all(known)
        });
        let doubtful = any_host
            || expands(trimmed, authority)
            || trimmed.contains(|c: char| c == '\\' || c == ' ' || c.is_control())
            || authority.matches('@').count() > 1
            // `http:example.com` and `http:///example.com`.
            || readings.iter().any(|reading| {
                let special = matches!(reading.scheme.as_str(), "http" | "https" | "ftp" | "ws" | "wss");
                special && (authority.is_empty() || has_scheme(trimmed, &reading.scheme) && !trimmed.contains("://"))
            });
        Ok(Self { text, readings, doubtful, any_host })
    }

    /// The normalised text, for messages.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn readings(&self) -> &[UrlReading] {
        &self.readings
    }

    pub(super) fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// Whether even the host is in doubt, so that any pattern could mean it.
    pub(super) fn may_be_any(&self) -> bool {
        self.any_host
    }
}

fn has_scheme(text: &str, scheme: &str) -> bool {
    text.split_once(':').is_some_and(|(before, _)| before.eq_ignore_ascii_case(scheme))
}

/// The URLs that a text may mean, the likeliest first.
fn candidates(text: &str) -> Vec<String> {
    let clean: String = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let slashed = clean.replace('\\', "/");
    if let Some(rest) = slashed.strip_prefix("//") {
        return without_scheme(rest);
    }
    let (before, after) = match clean.split_once(':') {
        Some(parts) => parts,
        None => return without_scheme(&slashed),
    };
    let is_scheme = is_scheme(before);
    if is_scheme && (after.starts_with("//") || is_special(before)) {
        let mut urls = vec![clean.clone()];
        if clean.contains('\\') {
            // RFC 3986 gives `\` no meaning, so that the host ends further on.
            urls.push(clean.replace('\\', "%5C"));
        }
        if let Some(other) = first_at(&clean) {
            urls.push(other);
        }
        return urls;
    }
    if before.contains(['/', '?', '#', '[']) {
        let mut urls = without_scheme(&slashed);
        if let Some((user, host)) = before.rsplit_once('@')
            && !before.contains('/')
        {
            // In an address these letters end the host. To `scp` they are the user's name.
            let user = user.replace('?', "%3F").replace('#', "%23").replace('[', "%5B");
            urls.push(format!("ssh://{user}@{host}/{}", after.trim_start_matches('/')));
        }
        return urls;
    }
    let port_ends = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let is_port =
        port_ends > 0 && after[port_ends..].chars().next().is_none_or(|c| "/?#\\".contains(c));
    if is_port && !before.contains('@') {
        return without_scheme(&slashed);
    }
    let mut urls = vec![format!("ssh://{before}/{}", after.trim_start_matches('/'))];
    urls.extend(inner(&clean).map(candidates).into_iter().flatten());
    if WRAPPERS.iter().any(|wrapper| before.eq_ignore_ascii_case(wrapper)) {
        urls.extend(without_scheme(after));
    }
    if is_scheme && !before.contains('.') {
        urls.push(clean.clone());
    }
    if before.contains('@') || after.contains('@') {
        // `user@host:80/…` and `user:password@host`.
        urls.extend(without_scheme(&slashed));
    }
    urls
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

fn is_special(scheme: &str) -> bool {
    let scheme = scheme.to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https" | "ftp" | "ws" | "wss" | "file")
}

/// The address behind schemes that stand before another: `view-source:http://…`, `jar:http://…!/a`.
fn inner(address: &str) -> Option<&str> {
    let mut rest = address;
    loop {
        let (before, after) = rest.split_once(':').filter(|(before, _)| is_scheme(before))?;
        if is_special(before) || after.starts_with("//") {
            return Some(rest);
        }
        rest = after;
    }
}

/// With the other of two `@` as the one that ends the user's name.
fn first_at(url: &str) -> Option<String> {
    let authority = authority(url)?;
    let (first, rest) = authority.split_once('@')?;
    let (host, _) = rest.split_once('@')?;
    Some(url.replacen(authority, &format!("{first}@{host}"), 1))
}

/// What stands between `//` and the path.
fn authority(url: &str) -> Option<&str> {
    let after = url.split_once("//").map_or(url, |(_, after)| after);
    after.split(['/', '?', '#']).next()
}

fn without_scheme(rest: &str) -> Vec<String> {
    let mut urls = vec![format!("http://{rest}"), format!("https://{rest}")];
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host).to_ascii_lowercase();
    let guessed = GUESSED.iter().find(|(begins, _)| host.starts_with(begins));
    urls.extend(guessed.map(|(_, scheme)| format!("{scheme}://{rest}")));
    urls
}

fn is_v6(authority: &str) -> bool {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    host.strip_prefix('[')
        .and_then(|host| host.split_once(']'))
        .is_some_and(|(host, _)| host.parse::<std::net::Ipv6Addr>().is_ok())
}

/// Whether curl would make several addresses of it: `{a,b}`, `[1-9]`. In a query that changes nothing that counts here.
fn expands(url: &str, authority: &str) -> bool {
    let before_query = url.split(['?', '#']).next().unwrap_or_default();
    let rest = if is_v6(authority) {
        before_query.replacen(authority, "", 1)
    } else {
        before_query.to_owned()
    };
    rest.contains(['{', '}', '[', ']'])
}

impl UrlReading {
    fn of(url: &Url) -> Option<Self> {
        let scheme = url.scheme().to_owned();
        let host = match url.host() {
            // `ssh://` and others leave the host as it is written: IP literals and IDN are read here too.
            Some(Host::Domain(domain)) => plain_host(domain)?,
            Some(Host::Ipv4(ip)) => IpAddr::V4(ip).to_string(),
            Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().to_string(),
            None => String::new(),
        };
        let port = url.port_or_known_default().or_else(|| default_port(&scheme));
        let user = match (url.username(), url.password()) {
            ("", None) => None,
            (user, None) => Some(user.to_owned()),
            (user, Some(password)) => Some(format!("{user}:{password}")),
        };
        let path = names(&decoded(url.path(), b"/\\%"));
        let decoded = names(&decoded(url.path(), b"").replace('\\', "/"));
        Some(Self { scheme, host, port, user, path, decoded })
    }
}

/// A host as it is compared.
pub(super) fn plain_host(written: &str) -> Option<String> {
    let host = match Host::parse(written) {
        Ok(Host::Ipv4(ip)) => ip.to_string(),
        Ok(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().to_string(),
        Ok(Host::Domain(domain)) => domain,
        Err(_) => written.to_ascii_lowercase(),
    };
    Some(host.trim_end_matches('.').to_owned())
}

pub(super) fn default_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ssh" | "sftp" | "scp" | "git+ssh" | "ssh+git" => 22,
        "git" => 9418,
        _ => return None,
    })
}

/// Percent-decoded, but for what stands for one of `kept`.
fn decoded(path: &str, kept: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = |at: usize| after.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (byte, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => match u8::try_from(high * 16 + low) {
                Ok(byte) if !kept.contains(&byte) => {
                    bytes.push(byte);
                    rest = after.get(2..).unwrap_or_default();
                }
                _ => {
                    bytes.push(b'%');
                    rest = after;
                }
            },
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `.`, `..` and `//` taken out.
fn names(path: &str) -> String {
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.join("/")
}
