//! What the settings of RuboCop say of files, read line by line.

use super::javascript::leads_out;
use super::setting_use::SettingUses;

/// The words of an options file of RuboCop that name no file.
const RUBOCOP_HARMLESS: &[&str] = &[
    "-D",
    "-E",
    "-P",
    "-S",
    "--color",
    "--display-cop-names",
    "--display-style-guide",
    "--extra-details",
    "--force-exclusion",
    "--no-color",
    "--parallel",
];

/// The text without the line that goes on in the settings of what is left for later: those are looked at anyway. `None`: it may go on
/// in others.
fn without_todo(text: &str) -> Option<String> {
    const ALONE: &str = "inherit_from: .rubocop_todo.yml";
    const LISTED: [&str; 2] = ["- .rubocop_todo.yml", "  - .rubocop_todo.yml"];
    let mut rest = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_list = line == "inherit_from:" && lines.next_if(|it| LISTED.contains(it)).is_some();
        if line != ALONE && !is_list {
            rest.push(line);
            continue;
        }
        // An indented line would go on with the name, and an item with the list.
        let mut below = lines.clone().skip_while(|it| it.is_empty());
        if below.next().is_some_and(|it| it.starts_with([' ', '\t', '-'])) {
            return None;
        }
    }
    let rest = rest.join("\n");
    let climbs = rest.contains("inherit_gem") && rest.contains("..");
    (!rest.contains("inherit_from") && !climbs).then_some(rest)
}

/// Settings that say which files are looked at, or where what was found is kept, are read line by line. What YAML could say in
/// another way, over several lines, by an alias or by code, is not understood.
pub(super) fn of_rubocop(name: &str, text: &str) -> SettingUses {
    if name == ".rubocop" {
        return text.split_whitespace().all(|word| RUBOCOP_HARMLESS.contains(&word)).then(Vec::new);
    }
    let mut includes = false;
    let text = without_todo(text)?;
    for line in text.lines() {
        let line = line.trim();
        // ERB goes over all of the text, comments as well, before it is read as YAML.
        if line.contains("<%") {
            return None;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.split([' ', '"', '\'', ',', '[', ']']).any(leads_out) {
            return None;
        }
        let hides = line.contains('\\') && line.contains('"');
        if hides || line.contains("CacheRootDirectory") {
            return None;
        }
        if includes {
            match line.strip_prefix('-') {
                Some(item) if is_ruby(item) => continue,
                None if line.contains(':') => includes = false,
                _ => return None,
            }
        }
        if let Some((_, value)) = line.split_once("Include") {
            let value = value.trim_start_matches(['"', '\'']).trim().strip_prefix(':')?.trim();
            includes = true;
            let list = match value.strip_prefix('[') {
                None => value,
                Some(list) => list.strip_suffix(']')?,
            };
            if !value.is_empty() && !list.split(',').all(is_ruby) {
                return None;
            }
        }
    }
    Some(Vec::new())
}

/// Whether a pattern, as YAML has it, finds sources of Ruby alone.
fn is_ruby(pattern: &str) -> bool {
    const KINDS: &[&str] = &[
        ".rb",
        ".rake",
        ".gemspec",
        ".ru",
        ".erb",
        "Rakefile",
        "Gemfile",
        ".jbuilder",
        ".podspec",
    ];
    let pattern = pattern.trim();
    // Without quotes these begin an alias, an anchor, a tag, or a text of several lines.
    !pattern.starts_with(['*', '&', '!', '|', '>'])
        && !pattern.contains('#')
        && KINDS.iter().any(|end| pattern.trim_matches(['"', '\'']).ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn settings_of_rubocop_that_name_files_are_told_from_others() {
        check(
            of_rubocop,
            &[
                (
                    ".rubocop.yml",
                    "AllCops:\n  Include:\n    - '**/*.rb'\n    - Gemfile\n  Exclude:\n    - .env\n",
                ),
                (".rubocop.yml", "AllCops:\n  NewCops: enable\n"),
                (
                    ".rubocop.yml",
                    "AllCops:\n  Include: ['**/*.rb', Gemfile]\n  Exclude:\n    - .env\n",
                ),
                (".rubocop.yml", "Style/X:\n  AllowedPatterns: ['\\A\\s*#']\n"),
                (".rubocop.yml", "inherit_from: .rubocop_todo.yml\nAllCops:\n  NewCops: enable\n"),
                (
                    ".rubocop.yml",
                    "inherit_from:\n  - .rubocop_todo.yml\nAllCops:\n  Exclude:\n    - x\n",
                ),
                (".rubocop", "--parallel\n--display-cop-names"),
            ],
            &[
                (".rubocop.yml", "require:\n  - ../outside.rb\n"),
                (".rubocop.yml", "plugins: ['/tmp/x.rb']\n"),
                (".rubocop", "--parallel --out /tmp/x"),
                (".rubocop", "-A"),
                (".rubocop.yml", "inherit_from: other.yml\n"),
                (".rubocop.yml", "inherit_from:\n  other.yml\n"),
                (".rubocop.yml", "inherit_from: .rubocop_todo.yml\n  x\n"),
                (".rubocop.yml", "inherit_gem:\n  rubocop: ../../x.yml\n"),
                (".rubocop.yml", "AllCops:\n  Include:\n    - .env # a.rb\n"),
                (".rubocop.yml", "AllCops:\n  Include: [.env] # .rb]\n"),
                (".rubocop.yml", "inherit_from:\n  - .rubocop_todo.yml\n  - other.yml\n"),
                (".rubocop.yml", "inherit_from: [other.yml]\n"),
                (".rubocop.yml", "{inherit_from: other.yml}\n"),
                (".rubocop.yml", "AllCops:\n  Include:\n    - \".env\"\n"),
                (".rubocop.yml", "AllCops: {Include: [.env]}"),
                (".rubocop.yml", "AllCops:\n  CacheRootDirectory: ../x\n"),
                (".rubocop.yml", "AllCops:\n  \"Incl\\x75de\": [.env]\n"),
                (".rubocop.yml", "AllCops: {\"Incl\\x75de\": [.env]}\n"),
                (".rubocop.yml", "AllCops:\n  Include: [\n    .env\n  ]\n"),
                (".rubocop.yml", "AllCops:\n  Include:\n    [.env]\n"),
                (".rubocop.yml", "AllCops:\n  Include:\n    - a.rb\n      .env\n"),
                (".rubocop.yml", "X: &Rakefile\n  - .env\nAllCops:\n  Include: *Rakefile\n"),
                (".rubocop.yml", "AllCops:\n  Include: &x.rb [.env]\n"),
                (".rubocop.yml", "AllCops:\n  <%= 'Incl' + 'ude' %>: [.env]\n"),
            ],
        );
    }
}
