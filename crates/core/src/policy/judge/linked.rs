//! Where a line puts links: what it writes there later may change what they lead to, which only the run tells.

use super::names_below::{NameBelow, any_below};
use super::spot::{LinkedPlaces, PathSpots};
use super::{CallJudge, NeedsFiles, looked_up};
use crate::path::{LocatedPath, PathError, is_below};
use crate::policy::action::{ActionKind, ByArgument};
use crate::shell::{FileAccess, LinksPut, links_put};

/// What a command takes, and where it puts that.
struct LinkCommand {
    command: usize,
    makes: bool,
    takes: Vec<PathSpots>,
    puts: Vec<PathSpots>,
}

fn is_open(spots: &PathSpots) -> bool {
    spots.error.is_some() || !spots.loose.is_empty() && !spots.stays
}

impl CallJudge<'_> {
    /// Whether this may be written through a link that another command of the line puts there, before or after: which of them
    /// runs first, loops and functions do not say.
    pub(super) fn is_behind_link(
        &self, spots: &PathSpots, by: Option<&ByArgument>,
    ) -> Result<bool, NeedsFiles> {
        let links = match self.links.get() {
            Some(links) => links,
            None => {
                let found = self.linked_places()?;
                self.links.get_or_init(|| found)
            }
        };
        let mut others = links.iter().filter(|link| by.is_none_or(|by| by.command != link.command));
        Ok(others.any(|link| {
            let mut places = spots.located.iter().chain(&spots.begins);
            link.anywhere
                || places.any(|own| link.places.iter().any(|it| is_below(&own.real, &it.real)))
        }))
    }

    fn linked_places(&self) -> Result<Vec<LinkedPlaces>, NeedsFiles> {
        let mut left = self.link_commands()?;
        let mut links: Vec<LinkedPlaces> = Vec::new();
        // What copies a link that the line makes puts one too.
        loop {
            let mut rest = Vec::new();
            let known = links.len();
            for it in left {
                if !it.makes && !self.takes_links(&it.takes, &links)? {
                    rest.push(it);
                    continue;
                }
                let anywhere =
                    it.puts.iter().any(|spots| is_open(spots) && spots.begins.is_empty());
                let places = it.puts.into_iter().flat_map(|spots| [spots.located, spots.begins]);
                let places = places.flatten().collect();
                links.push(LinkedPlaces { command: it.command, places, anywhere });
            }
            if links.len() == known {
                return Ok(links);
            }
            left = rest;
        }
    }

    /// The commands that make links, or put what they take elsewhere, and links as links.
    fn link_commands(&self) -> Result<Vec<LinkCommand>, NeedsFiles> {
        let mut found: Vec<LinkCommand> = Vec::new();
        for action in self.actions {
            let ActionKind::Path { access, target, extent, by: Some(by) } = &action.kind else {
                continue;
            };
            let put = self.argv(by).map_or(LinksPut::Nothing, links_put);
            if put == LinksPut::Nothing {
                continue;
            }
            let spots = match PathSpots::of(target, *extent, &action.start, self.files) {
                Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                Err(error) => PathSpots { error: Some(error), ..PathSpots::default() },
                Ok(spots) => spots,
            };
            let at = match found.iter().position(|it| it.command == by.command) {
                Some(at) => at,
                None => {
                    let (takes, puts) = (Vec::new(), Vec::new());
                    let makes = put == LinksPut::Made;
                    found.push(LinkCommand { command: by.command, makes, takes, puts });
                    found.len() - 1
                }
            };
            let Some(it) = found.get_mut(at) else { continue };
            match access {
                FileAccess::Read => it.takes.push(spots),
                FileAccess::Write if action.loss.takes_away() => it.puts.push(spots),
                FileAccess::Write => {}
            }
        }
        Ok(found)
    }

    /// Whether one of these is a link, or has one below it, or may have by then.
    fn takes_links(&self, takes: &[PathSpots], links: &[LinkedPlaces]) -> Result<bool, NeedsFiles> {
        for spots in takes {
            let meets = |own: &LocatedPath, link: &LocatedPath| {
                is_below(&own.real, &link.real) || is_below(&link.real, &own.real)
            };
            let mut places = spots.located.iter().chain(&spots.begins);
            if is_open(spots)
                || places.any(|own| {
                    let mut each = links.iter();
                    each.any(|it| it.anywhere || it.places.iter().any(|link| meets(own, link)))
                })
            {
                return Ok(true);
            }
            let paths = spots.located.iter().flat_map(|place| [&place.lexical, &place.real]);
            for path in paths.chain(&spots.found) {
                if self.has_links(path)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn has_links(&self, path: &str) -> Result<bool, NeedsFiles> {
        if looked_up(self.files.read_link(path))?.is_ok_and(|link| link.is_some()) {
            return Ok(true);
        }
        any_below(path, self.files, |_, entry| {
            Ok(if entry.is_link { NameBelow::Meant } else { NameBelow::Other })
        })
    }
}
