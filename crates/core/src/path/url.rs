//! Addresses, and patterns for them.

/// An address, normalised as WHATWG's URL standard says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    source: String,
}

/// A pattern for addresses: `https://*.example.com:8443/api/**`, or a host alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlPattern {
    source: String,
}

/// Why an address or a pattern cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UrlError {
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl Address {
    /// Reads an address. `curl example.com` means `http://example.com`: without a scheme both `http` and `https` are meant.
    pub fn parse(source: &str) -> Result<Self, UrlError> {
        Ok(Self { source: source.to_owned() })
    }

    /// The normalised text, for messages.
    pub fn text(&self) -> &str {
        &self.source
    }
}

impl UrlPattern {
    /// Reads a pattern.
    pub fn parse(source: &str) -> Result<Self, UrlError> {
        Ok(Self { source: source.to_owned() })
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the address is surely meant: what an allow needs.
    pub fn covers(&self, _address: &Address) -> bool {
        false
    }

    /// Whether the address could be meant: what a deny or an ask needs.
    pub fn touches(&self, _address: &Address) -> bool {
        true
    }
}
