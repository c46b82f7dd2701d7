use super::super::{UrlAddress, UrlIndex, UrlPattern, UrlSet};
use super::{BARE, QUOTED, text};

/// What the address is, in the likeliest reading.
const ADDRESSES: &[(&str, &str)] = &[
    ("HTTPS://Example.COM:443/a/../b?q#f", "https://example.com/b?q#f"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://0177.0.0.1/", "http://127.0.0.1/"),
    ("http://127.1/", "http://127.0.0.1/"),
    ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ("http://ex\u{ff41}mple.com/", "http://example.com/"),
    ("http:\\\\example.com\\x", "http://example.com/x"),
    ("ht\ntp://exam\tple.com/", "http://example.com/"),
    ("http:example.com", "http://example.com/"),
    ("https://example.com/%2e%2E/x", "https://example.com/x"),
    ("example.com/x", "http://example.com/x"),
    ("example.com:8443/x", "http://example.com:8443/x"),
    ("//example.com/x", "http://example.com/x"),
    ("localhost:3000", "http://localhost:3000/"),
    ("git@github.com:a/b.git", "ssh://git@github.com/a/b.git"),
    ("github.com:a/b.git", "ssh://github.com/a/b.git"),
    ("ssh://git@github.com/a/b", "ssh://git@github.com/a/b"),
    ("file:///etc/passwd", "file:///etc/passwd"),
    ("  http://example.com  ", "http://example.com/"),
];

#[test]
fn addresses() {
    for (source, expected) in ADDRESSES {
        assert_eq!(UrlAddress::parse(source).unwrap().text(), *expected, "{source}");
    }
    for source in [
        "",
        "   ",
        "http://",
        "http://[::1",
        "http://a b/",
        "http://example.com:99999/",
        &"x".repeat(70_000),
    ] {
        assert!(UrlAddress::parse(source).is_err(), "{source:.30}");
    }
}

/// pattern, address, covers, touches
const MATCHES: &[(&str, &str, bool, bool)] = &[
    ("example.com", "https://example.com/any/path", true, true),
    ("example.com", "http://example.com", true, true),
    ("example.com", "example.com/x", true, true),
    ("example.com", "EXAMPLE.com.", true, true),
    ("example.com", "https://example.com:8443/", false, true),
    ("example.com", "ftp://example.com/", false, true),
    ("example.com", "https://example.com.evil.net/", false, false),
    ("example.com", "https://notexample.com/", false, false),
    ("example.com", "https://sub.example.com/", false, false),
    ("example.com", "https://evil.net/example.com", false, false),
    ("example.com", "https://example.com@evil.net/", false, false),
    ("evil.net", "https://example.com@evil.net/", false, true),
    ("example.com", "https://user:pw@example.com/", false, true),
    ("https://user@example.com", "https://user@example.com/x", true, true),
    ("https://user@example.com", "https://example.com/x", false, true),
    ("*.example.com", "https://a.example.com/", true, true),
    ("*.example.com", "https://a.b.example.com/", true, true),
    ("*.example.com", "https://example.com/", false, false),
    ("*.example.com", "https://.example.com/", false, false),
    ("*.example.com", "https://aexample.com/", false, false),
    ("*", "https://anything.net:1/x", true, true),
    ("*", "ssh://anything.net/x", true, true),
    ("*", "https://user@anything.net/", false, true),
    ("https://example.com", "http://example.com/", false, false),
    ("https://example.com", "example.com", false, true),
    ("https://*", "https://example.com/", true, true),
    ("*://example.com", "ftp://example.com/x", true, true),
    ("https://*.example.com:8443/api/**", "https://a.example.com:8443/api/x/y", true, true),
    ("https://*.example.com:8443/api/**", "https://a.example.com:8443/api", false, false),
    ("https://*.example.com:8443/api/**", "https://a.example.com/api/x", false, false),
    ("https://*.example.com:8443/api/**", "https://a.example.com:8443/api/../x", false, false),
    ("https://*.example.com:8443/api/**", "https://a.example.com:8443/api/%2e%2e/x", false, false),
    ("https://example.com/a b/*", "https://example.com/a%20b/c", true, true),
    ("https://example.com/é", "https://example.com/%C3%A9", true, true),
    ("example.com", "http:example.com", false, true),
    ("example.com", "http:///example.com", false, true),
    // A server may take `%2f` for `/`: both are read.
    ("https://example.com/api/**", "https://example.com/api/..%2f..%2fadmin", false, true),
    ("https://example.com/admin/**", "https://example.com/%61dmin/x", true, true),
    ("https://example.com/admin/**", "https://example.com//admin//x", true, true),
    ("https://example.com/admin/**", "https://example.com/api/..%5cadmin%5cx", false, true),
    ("https://example.com/*.txt", "https://example.com/a.txt?q=1#f", true, true),
    ("https://example.com/**", "https://example.com", true, true),
    ("example.com:*", "http://example.com:9999/", true, true),
    ("localhost:3000", "http://localhost:3000/x", true, true),
    ("localhost:3000", "localhost:3000", true, true),
    ("localhost", "http://localhost:3000/x", false, true),
    ("127.0.0.1", "http://0x7f000001/", true, true),
    ("127.0.0.1", "http://[::ffff:127.0.0.1]/", true, true),
    ("[::1]", "http://[0:0:0:0:0:0:0:1]/", true, true),
    ("http://[::1]:8080", "http://[::1]:8080/x", true, true),
    ("0x7f.1", "http://127.0.0.1/", true, true),
    ("bücher.example", "https://xn--bcher-kva.example/", true, true),
    ("*.bücher.example", "https://a.XN--BCHER-KVA.example/", true, true),
    ("example.com", "https://ex\u{430}mple.com/", false, false),
    ("ssh://git@github.com/me/**", "git@github.com:me/x.git", true, true),
    ("ssh://git@github.com/me/**", "ssh://git@GitHub.com:22/me/x", true, true),
    ("ssh://git@github.com/me/**", "git@github.com:you/x.git", false, false),
    ("github.com", "git@github.com:me/x.git", false, true),
    ("git://example.com", "git://example.com/x", true, true),
    ("file:///etc/**", "file:///etc/passwd", true, true),
    ("file:///etc/**", "file:///home/x", false, false),
    ("example.com", "ftp.example.com", false, false),
    ("*.example.com", "ftp.example.com", false, true),
    ("ftp://ftp.example.com", "ftp.example.com/x", false, true),
    // Programs do not agree on what these are.
    ("good.com", "http://evil.net\\@good.com/", false, true),
    ("evil.net", "http://evil.net\\@good.com/", false, true),
    ("evil.net", "http://a@evil.net@good.com/", false, true),
    ("good.com", "http://a@evil.net@good.com/", false, true),
    ("example.com", "http://exam\nple.com/", false, true),
    // curl makes several of these.
    ("evil.net", "http://{evil.net,good.com}/", false, true),
    ("good.com", "http://good.com/{a,b}", false, true),
    ("good.com", "http://good.com/[1-9]", false, true),
    ("good.com", "http://good.com/?q={a,b}", true, true),
];

#[test]
fn patterns() {
    for (pattern, address, covers, touches) in MATCHES {
        let parsed =
            UrlPattern::parse(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(parsed.source(), *pattern);
        let address =
            UrlAddress::parse(address).unwrap_or_else(|error| panic!("{address}: {error}"));
        assert_eq!(parsed.covers(&address), *covers, "covers: {pattern} {address:?}");
        assert_eq!(parsed.touches(&address), *touches, "touches: {pattern} {address:?}");
    }
}

#[test]
fn patterns_that_are_refused() {
    for pattern in [
        "",
        "!x",
        "https://",
        "ex*mple.com",
        "example.*",
        "*.*.com",
        "exa mple.com",
        "1http://x",
        "https://example.com/",
        "example.com:http",
        "example.com?q",
        "example.com/a?b",
        "example.com/[a",
        "example.com/a%20b",
        "example.com/../x",
        "example.com/a/",
        "*.",
    ] {
        assert!(UrlPattern::parse(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn sets() {
    let set =
        UrlSet::parse(["*.example.com", "!evil.example.com", "https://evil.example.com/ok/**"])
            .unwrap();
    for (address, covers, touches) in [
        ("https://a.example.com/", true, true),
        ("https://evil.example.com/x", false, false),
        ("https://evil.example.com:8443/x", false, true),
        ("https://evil.example.com/ok/x", true, true),
        ("https://other.net/", false, false),
        ("http://{evil.example.com,b.example.com}/", false, true),
    ] {
        let parsed = UrlAddress::parse(address).unwrap();
        assert_eq!(set.covers(&parsed), covers, "{address}");
        assert_eq!(set.touches(&parsed), touches, "{address}");
    }
    assert_eq!(UrlSet::parse(["a.com", "!b c"]).expect_err("a blank").0, 1);
    assert!(UrlSet::default().is_empty());
}

#[test]
fn dynamic_addresses() {
    for (pattern, pieces, expected) in [
        ("evil.net", &[QUOTED][..], true),
        ("evil.net", &[text("https://"), QUOTED], true),
        ("evil.net", &[text("https://good.com"), QUOTED], true),
        ("evil.net", &[text("https://good.com/"), QUOTED], false),
        ("evil.net", &[text("https://good.com/"), BARE], true),
        ("good.com", &[text("https://good.com/"), QUOTED], true),
        ("https://good.com/admin/**", &[text("https://good.com/x/"), QUOTED], true),
        ("https://good.com", &[text("http://good.com/"), QUOTED], false),
        ("evil.net", &[text("https://a@good.com/"), QUOTED], true),
        ("evil.net", &[text("good.com/"), QUOTED], true),
    ] {
        let parsed = UrlPattern::parse(pattern).unwrap();
        assert_eq!(parsed.could_match(pieces), expected, "{pattern} {pieces:?}");
    }
}

#[test]
fn a_scheme_before_an_address_hides_no_host() {
    let denied = UrlSet::parse(["evil.net"]).unwrap();
    let allowed = UrlSet::parse(["view-source:*", "good.org"]).unwrap_or_default();
    let index = UrlIndex::new(std::slice::from_ref(&denied));
    for source in [
        "view-source:http://evil.net",
        "View-Source:https://evil.net/x",
        "view-source:evil.net/x",
        "view-source:http:evil.net",
        "view-source:view-source:http://evil.net",
        "jar:http://evil.net/a!/b",
        "blob:https://evil.net/x",
        "feed:evil.net",
        "x:y:https://evil.net",
    ] {
        let address = UrlAddress::parse(source).unwrap();
        assert!(denied.touches(&address), "{source}");
        assert!(!allowed.covers(&address), "{source}");
        assert_eq!(index.candidates(&address), [0], "{source}");
    }
    for source in ["view-source:http://evil.net/", "jar:https://evil.net/"] {
        let pieces = [text(source), QUOTED];
        assert!(denied.could_match(&pieces), "{source}");
        assert_eq!(index.candidates_for(&pieces), [0], "{source}");
    }
    for source in ["view-source:http://good.org", "mailto:a@good.org", "good.org:80/http://x"] {
        assert!(!denied.touches(&UrlAddress::parse(source).unwrap()), "{source}");
    }
    // As many as a text has room for are no depth.
    let deep = format!("{}http://evil.net", "a:".repeat(30_000));
    assert!(denied.touches(&UrlAddress::parse(&deep).unwrap()));
}

#[test]
fn what_the_index_leaves_out_means_nothing() {
    let patterns = [
        "evil.net",
        "*.evil.net",
        "https://*.example.com/x/**",
        "*",
        "https://*",
        "127.0.0.1",
        "ssh://git@github.com",
        "file:///**",
        "bücher.example",
        "[::1]:8080",
    ];
    let sets: Vec<UrlSet> =
        patterns.iter().map(|pattern| UrlSet::parse([*pattern]).unwrap()).collect();
    let index = UrlIndex::new(&sets);
    let more = [
        "evil.net",
        "a.b.evil.net.",
        "http://{evil.net,x}/",
        "http://[::1]:8080/",
        "a@b@evil.net",
        "x.example.com/x/y",
    ];
    for source in ADDRESSES.iter().map(|(source, _)| *source).chain(more) {
        let address = UrlAddress::parse(source).unwrap();
        let found = index.candidates(&address);
        for (number, set) in sets.iter().enumerate() {
            assert!(
                !set.touches(&address) || found.contains(&number),
                "{} {source}",
                patterns[number]
            );
        }
        let pieces = [text(source), QUOTED];
        let found = index.candidates_for(&pieces);
        for (number, set) in sets.iter().enumerate() {
            assert!(
                !set.could_match(&pieces) || found.contains(&number),
                "{} {source}…",
                patterns[number]
            );
        }
    }
    assert_eq!(index.candidates(&UrlAddress::parse("https://good.org").unwrap()), [3, 4]);
}
