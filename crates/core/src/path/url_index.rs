//! Finds the few of many rules that could speak of an address.

use std::collections::HashMap;

use super::url_pattern::{HostPattern, known_host};
use super::{UrlAddress, UrlSet};
use crate::shell::WordPiece;

/// The sets of many rules, by the hosts in their patterns.
///
/// What it finds is a superset: what it leaves out neither [covers](UrlSet::covers) nor [touches](UrlSet::touches) the
/// address.
#[derive(Debug, Default)]
pub struct UrlIndex {
    hosts: HashMap<String, Vec<usize>>,
    /// By what a host must end with, which begins with a dot.
    ends: HashMap<String, Vec<usize>>,
    /// For any host.
    any: Vec<usize>,
    /// How many sets there are.
    count: usize,
}

impl UrlIndex {
    /// Of these sets; each is known by its place in the iteration, from 0.
    pub fn new<'a>(sets: impl IntoIterator<Item = &'a UrlSet>) -> Self {
        let mut index = Self::default();
        for (set, patterns) in sets.into_iter().enumerate() {
            for host in patterns.hosts() {
                match host {
                    HostPattern::Any => &mut index.any,
                    HostPattern::Is(host) => index.hosts.entry(host.clone()).or_default(),
                    HostPattern::Below(end) => index.ends.entry(end.clone()).or_default(),
                }
                .push(set);
            }
            index.count += 1;
        }
        index
    }

    /// The sets that could cover or touch the address, each once, in order.
    pub fn candidates(&self, address: &UrlAddress) -> Vec<usize> {
        if address.may_be_any() {
            return (0..self.count).collect();
        }
        let mut found = self.any.clone();
        for reading in address.readings() {
            let host = reading.host.as_str();
            found.extend(self.hosts.get(host).into_iter().flatten());
            for (dot, _) in host.match_indices('.') {
                let end = host.get(dot..).unwrap_or_default();
                found.extend(self.ends.get(end).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The sets that could match an address that is known only in these pieces, each once, in order.
    pub fn candidates_for(&self, pieces: &[WordPiece]) -> Vec<usize> {
        match known_host(pieces) {
            Some(address) => self.candidates(&address),
            None => (0..self.count).collect(),
        }
    }
}
