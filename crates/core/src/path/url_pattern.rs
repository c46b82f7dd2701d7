//! Patterns for addresses.

use super::matching::matches;
use super::pattern::{self, PatternAlternative};
use super::url::{UrlAddress, UrlError, UrlReading, default_port, error, plain_host};
use crate::shell::WordPiece;

/// A pattern for addresses: `https://*.example.com:8443/api/**`, or a host alone.
///
/// - scheme: `https://`; without one `http` and `https`, and for denies and asks any other too;
/// - user: `ssh://git@example.com`; without one, no allow takes an address with a user in it;
/// - host: a name, an IP address (`[::1]`), `*.example.com` for the hosts below it, `*` for any;
/// - port: `:8443`, `:*` for any; without one the scheme's, and for denies and asks any;
/// - path: like the patterns for paths, compared as it is and percent-decoded; without one, and with `/**`, any.
///
/// `*` alone is any address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlPattern {
    source: String,
    scheme: Option<String>,
    user: Option<String>,
    host: HostPattern,
    port: PortPattern,
    /// `None`: any path.
    path: Option<Vec<PatternAlternative>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HostPattern {
    Any,
    Is(String),
    /// Below this, which begins with a dot.
    Below(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PortPattern {
    Any,
    Default,
    Is(u16),
}

/// Patterns for addresses in order: one that begins with `!` takes out again what those before it took in, and the last that
/// matches decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UrlSet {
    items: Vec<(UrlPattern, bool)>,
}

impl UrlPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// When it is not well-formed.
    pub fn parse(source: &str) -> Result<Self, UrlError> {
        if source.starts_with('!') {
            return Err(error("`!` takes something out of a list of patterns"));
        }
        let (scheme, rest) = match source.split_once("://") {
            Some(("*", rest)) => (Some("*".to_owned()), rest),
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme.to_ascii_lowercase()), rest),
            Some((scheme, _)) => {
                return Err(error(format!(
                    "`{scheme}` is not a scheme: write one like `https`, or `*`"
                )));
            }
            None if source == "*" => (Some("*".to_owned()), "*:*"),
            None => (None, source),
        };
        let (authority, path) =
            rest.find('/').map_or((rest, None), |at| (&rest[..at], Some(&rest[at..])));
        if authority.contains(['?', '#', '\\']) {
            return Err(error(
                "a pattern for addresses has no query and no fragment: leave them out",
            ));
        }
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user.to_owned()), host),
            None => (None, authority),
        };
        let (host, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port_of(port)?),
            _ => (host, PortPattern::Default),
        };
        let local = scheme.as_deref() == Some("file");
        let host = match host {
            "*" => HostPattern::Any,
            "" if local => HostPattern::Is(String::new()),
            "" => return Err(error("the pattern has no host: write one, or `*` for any")),
            _ => match host.strip_prefix("*.") {
                Some(parent) => HostPattern::Below(format!(".{}", host_of(parent)?)),
                None => HostPattern::Is(host_of(host)?),
            },
        };
        let path = match path {
            None | Some("/**") => None,
            Some("/") => {
                return Err(error(
                    "this means the path `/` alone: leave the `/` out for all paths, or write which",
                ));
            }
            Some(path) if path.contains(['?', '#']) => {
                return Err(error(
                    "a pattern for addresses has no query and no fragment, and `*` stands for any one character too: leave it out",
                ));
            }
            Some(path) if path.contains('%') || path.split('/').any(|name| name == "..") => {
                return Err(error(
                    "paths are compared decoded and without `..`: write the characters that are meant",
                ));
            }
            Some(path) => Some(pattern::parse(path).map_err(|(_, message)| error(message))?),
        };
        Ok(Self { source: source.to_owned(), scheme, user, host, port, path })
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the address is surely meant, in each of its readings: what an allow needs.
    pub fn covers(&self, address: &UrlAddress) -> bool {
        !address.is_doubtful() && address.readings().iter().all(|reading| self.allows(reading))
    }

    /// Whether the address could be meant, in any of its readings: what a deny or an ask needs.
    pub fn touches(&self, address: &UrlAddress) -> bool {
        address.may_be_any() || address.readings().iter().any(|reading| self.bites(reading))
    }

    /// Whether an address that is known only in these pieces could be meant. Errs on the side of yes.
    pub fn could_match(&self, pieces: &[WordPiece]) -> bool {
        known_host(pieces).is_none_or(|address| {
            let path_unknown = Self { path: None, ..self.clone() };
            path_unknown.touches(&address)
        })
    }

    fn allows(&self, reading: &UrlReading) -> bool {
        let scheme = match self.scheme.as_deref() {
            Some("*") => true,
            Some(scheme) => scheme == reading.scheme,
            None => matches!(reading.scheme.as_str(), "http" | "https"),
        };
        let port = match self.port {
            PortPattern::Any => true,
            PortPattern::Default => reading.port == default_port(&reading.scheme),
            PortPattern::Is(port) => reading.port == Some(port),
        };
        scheme
            && port
            && self.user == reading.user
            && self.is_host(&reading.host)
            && self.is_path(&reading.path, false)
            && self.is_path(&reading.decoded, false)
    }

    fn bites(&self, reading: &UrlReading) -> bool {
        let scheme = match self.scheme.as_deref() {
            Some("*") | None => true,
            Some(scheme) => scheme == reading.scheme,
        };
        let port = match self.port {
            PortPattern::Any | PortPattern::Default => true,
            PortPattern::Is(port) => reading.port == Some(port),
        };
        scheme
            && port
            && self.is_host(&reading.host)
            && (self.is_path(&reading.path, true) || self.is_path(&reading.decoded, true))
    }

    fn is_host(&self, host: &str) -> bool {
        match &self.host {
            HostPattern::Any => true,
            HostPattern::Is(own) => own == host,
            HostPattern::Below(parent) => {
                host.strip_suffix(parent.as_str()).is_some_and(|below| !below.is_empty())
            }
        }
    }

    fn is_path(&self, path: &str, loose: bool) -> bool {
        self.path.as_ref().is_none_or(|ways| {
            ways.iter().any(|way| (loose || !way.loose) && matches(&way.segments, path, false))
        })
    }
}

impl UrlSet {
    /// Reads patterns, in order.
    ///
    /// # Errors
    /// The first that cannot be taken, and its index.
    pub fn parse<'a>(
        sources: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, (usize, UrlError)> {
        let items = sources.into_iter().enumerate().map(|(index, source)| {
            let out = source.starts_with('!');
            let pattern = UrlPattern::parse(source.strip_prefix('!').unwrap_or(source));
            pattern.map(|pattern| (pattern, out)).map_err(|error| (index, error))
        });
        Ok(Self { items: items.collect::<Result<_, _>>()? })
    }

    /// Whether it has no pattern.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The hosts of the patterns that take in.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &HostPattern> {
        self.items.iter().filter(|(_, out)| !out).map(|(pattern, _)| &pattern.host)
    }

    /// Whether every reading of the address is in it: what an allow needs.
    pub fn covers(&self, address: &UrlAddress) -> bool {
        let in_it =
            |reading: &UrlReading| {
                let mut items = self.items.iter().rev();
                let last = items.find(|(pattern, out)| {
                    if *out { pattern.touches(address) } else { pattern.allows(reading) }
                });
                last.is_some_and(|(_, out)| !out)
            };
        !address.is_doubtful() && address.readings().iter().all(in_it)
    }

    /// The same, where one of the patterns names the very host and port: `*` stands for nothing in it.
    pub fn covers_by_name(&self, address: &UrlAddress) -> bool {
        let is_name = |(pattern, out): &(UrlPattern, bool)| {
            // Any scheme of an address is that address.
            let name = pattern.source.strip_prefix("*://").unwrap_or(&pattern.source);
            !out && !name.contains('*') && pattern.covers(address)
        };
        self.covers(address) && self.items.iter().any(is_name)
    }

    /// Whether any reading of the address is in it: what a deny or an ask needs.
    pub fn touches(&self, address: &UrlAddress) -> bool {
        let in_it = |reading: &UrlReading| {
            let mut items = self.items.iter().rev();
            let last = items.find(|(pattern, out)| {
                if *out {
                    !address.is_doubtful() && pattern.allows(reading)
                } else {
                    address.may_be_any() || pattern.bites(reading)
                }
            });
            last.is_some_and(|(_, out)| !out)
        };
        address.readings().iter().any(in_it)
    }

    /// Whether an address that is known only in these pieces could be in it. Errs on the side of yes.
    pub fn could_match(&self, pieces: &[WordPiece]) -> bool {
        self.items.iter().any(|(pattern, out)| !out && pattern.could_match(pieces))
    }
}

/// The address up to the end of its host, when pieces that are certain tell that much.
pub(super) fn known_host(pieces: &[WordPiece]) -> Option<UrlAddress> {
    if pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { splits: true })) {
        return None;
    }
    let text: String = pieces
        .iter()
        .map_while(
            |piece| if let WordPiece::Text(text) = piece { Some(text.as_str()) } else { None },
        )
        .collect();
    let host_at = text.find("://")? + 3;
    let host = text.get(host_at..)?;
    let end = host.find(['/', '?', '#'])?;
    let address = text.get(..host_at + end)?;
    (!address.contains(['\\', '{', '[', '@'])).then_some(())?;
    UrlAddress::parse(address).ok()
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

fn port_of(text: &str) -> Result<PortPattern, UrlError> {
    if text == "*" {
        return Ok(PortPattern::Any);
    }
    text.parse()
        .map(PortPattern::Is)
        .map_err(|_| error(format!("`{text}` is not a port: write a number, or `*`")))
}

fn host_of(written: &str) -> Result<String, UrlError> {
    let bad = || {
        error(format!(
            "`{written}` is not a host: write a name, an IP address, `*.` and a name, or `*`"
        ))
    };
    if written.contains(['*', '?', '{', '}', ' ', '%']) {
        return Err(bad());
    }
    url::Host::parse(written).map_err(|_| bad())?;
    plain_host(written).filter(|host| !host.is_empty()).ok_or_else(bad)
}
